"""The settings that a deploy hands to a node."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bedplate.node.bootstrap.containers import Containers, Download
from bedplate.node.bootstrap.settings import Mount, NodeSettings, SettingsRefusedError

SETTINGS = NodeSettings(
    environment="prod",
    pool="train",
    role="compute",
    result_bucket="results",
    gpus=8,
    nvme_count=8,
    nvme_gb_each=3840,
    local_nvme="raid0",
    efa_count=16,
    lnet_efa_count=8,
    mounts=(
        Mount("lustre", "fs-1.fsx.us-west-2.amazonaws.com@tcp:/abcd", "/fsx", ("noatime", "flock"), True),
        Mount("efs", "fs-2:/", "/home"),
    ),
)


def test_settings_survive_the_way_to_the_node() -> None:
    """What is written into user data is read back the same."""
    assert NodeSettings.from_json(SETTINGS.to_json()) == SETTINGS


CONTAINERS = Containers(
    slurm="/opt/slurm",
    plugstack="/opt/slurm/etc/plugstack.conf",
    packages=(Download("s3://mirror/enroot/enroot_4.1.2-1_amd64.deb", "a" * 64),),
    pyxis=Download("s3://mirror/pyxis-0.24.0.tar.gz", "b" * 64),
)


@pytest.mark.parametrize("containers", [CONTAINERS, Containers("/opt/slurm")])
def test_containers_survive_it_too(containers: Containers) -> None:
    """Those of packages and those of an image; without any there is no word of them."""
    told = replace(SETTINGS, containers=containers)
    assert NodeSettings.from_json(told.to_json()) == told
    assert "containers" not in SETTINGS.to_json()


def test_imex_survives_it_and_is_told_to_its_nodes_alone() -> None:
    """The settings of all others, and so their launch templates, are what they were without it."""
    told = replace(SETTINGS, imex=True)
    assert NodeSettings.from_json(told.to_json()) == told
    assert "imex" not in SETTINGS.to_json()
    with pytest.raises(SettingsRefusedError, match="imex is 'yes'; true or false"):
        NodeSettings.from_json(_changed(imex="yes"))


def _told(**changes: object) -> str:
    told = json.loads(replace(SETTINGS, containers=CONTAINERS).to_json())["containers"]
    return _changed(containers={**told, **changes})


def _changed(**changes: object) -> str:
    return json.dumps({**json.loads(SETTINGS.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        (_changed(version=2), "version 2"),
        (_changed(version=True), "version True"),
        (_changed(role="head"), "role"),
        (_changed(local_nvme="raid1"), "local_nvme"),
        (_changed(gpus=-1), "gpus"),
        (_changed(nvme_count="8"), "nvme_count"),
        (_changed(efa_count=True), "efa_count"),
        (_changed(desk="yes"), "desk is 'yes'; true or false is allowed"),
        (_changed(desk=1), "desk is 1"),
        (_changed(colour="red"), "colour"),
        (_changed(pool=None), "pool"),
        (_changed(mounts={}), "mounts"),
        (_changed(mounts=[1]), "mounts[0]"),
        (_changed(mounts=[{"kind": "lustre", "source": "a"}]), "path"),
        (_changed(mounts=[{"kind": "nfs", "source": "a", "path": "/b"}]), "kind"),
        (_changed(mounts=[{"kind": "efs", "source": "a", "path": "b"}]), "absolute"),
        (_changed(mounts=[{"kind": "efs", "source": "a", "path": "/b", "options": "ro"}]), "options"),
        (_changed(mounts=[{"kind": "efs", "source": "a", "path": "/b", "efa": 1}]), "efa"),
        (_changed(containers=[]), "containers: it is no JSON object"),
        (_told(colour="red"), "colour"),
        (_told(slurm="opt"), "slurm is 'opt'"),
        (_told(slurm=1), "slurm is 1"),
        (_told(plugstack="a"), "plugstack"),
        (_told(packages=[]), "both or neither"),
        (_told(packages={}), "list of packages"),
        (_told(packages=["s3://a/b"]), "uri and sha256"),
        (_told(pyxis=None), "both or neither"),
        (_told(pyxis={"uri": "s3://a/b", "sha256": "A" * 64}), "64 hexadecimal digits"),
        (_told(pyxis={"uri": "https://a/b", "sha256": "a" * 64}), "s3://BUCKET/KEY"),
        (_told(pyxis={"uri": "s3://a/-b", "sha256": "a" * 64}), "s3://BUCKET/KEY"),
    ],
)
def test_unfit_settings_are_refused_by_name(text: str, named: str) -> None:
    """Nothing is guessed: the field that is wrong is in the message."""
    with pytest.raises(SettingsRefusedError) as refused:
        NodeSettings.from_json(text)
    assert named in str(refused.value)
