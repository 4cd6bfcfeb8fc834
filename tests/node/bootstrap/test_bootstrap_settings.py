"""The settings that a deploy hands to a node."""

from __future__ import annotations

import json

import pytest

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
    ],
)
def test_unfit_settings_are_refused_by_name(text: str, named: str) -> None:
    """Nothing is guessed: the field that is wrong is in the message."""
    with pytest.raises(SettingsRefusedError) as refused:
        NodeSettings.from_json(text)
    assert named in str(refused.value)
