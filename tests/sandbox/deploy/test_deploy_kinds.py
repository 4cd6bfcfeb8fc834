"""With only ``kind:`` changed an environment is the same cluster, deployed by the real CDK in the sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bedplate.manifest import ClusterManifest
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from bedplate.slurm.our_settings import OUR_SETTINGS
from bedplate.slurm.settings import cluster_settings, queue_settings
from bedplate.spec import load_environment
from bedplate.spec.slurm_parameters import settable
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KINDS = ("slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod")
LEFT_ALONE = {each.parameter: each.not_on for each in OUR_SETTINGS}
TEXT = """\
name: alike
account: "123456789012"
region: us-west-2
network: {zone: usw2-az2, control_zones: [usw2-az1, usw2-az2], cidr: 10.40.0.0/16}
pools:
  - {name: h200, instance_type: p5en.48xlarge, nodes: 2, capacity: {source: on-demand}}
storage:
  file_systems:
    - {kind: lustre, mount: /fsx, capacity_gib: 38400, throughput_mbps_per_tib: 250, efa: true}
    - {kind: openzfs, mount: /home, capacity_gib: 1024}
orchestrator:
  kind: KIND
  containers: {kind: image}
  partitions: [{name: train, pools: [h200], default: true, max_time_hours: 72}]
  users: [{name: alice, uid: 2001}]
  teams: [{name: pretraining, share: 3, max_gpus: 16, users: [alice]}]
"""


def _deployed(kind: str, folder: Path) -> dict[str, Any]:
    """What is to be alike, after a deploy and a validation that passed."""
    folder.mkdir()
    file = folder / "alike.yaml"
    file.write_text(TEXT.replace("KIND", kind), encoding="utf-8")
    environment = load_environment(file)
    record = start_sandbox(
        state_dir=folder / "state", account=environment.account, region=environment.region, owned=True
    )
    lines: list[str] = []
    variables = client_environment(record)
    cdk = Cdk(project=REPOSITORY, environment=variables, output=folder / "out", on_line=lines.append)
    sandbox = Deployment(environment, record, folder / "state", cdk, lines)
    try:
        cdk.synth({"env": str(file)})
        cdk.bootstrap(account=environment.account, region=environment.region)
        cdk.deploy()
        assert cdk.diff() is False
        _validate(file, variables)
        manifest = _manifest(sandbox)
        return {
            "pools": [
                (
                    each.name,
                    each.instance_type,
                    (each.node_count_min, each.node_count_max),
                    each.partitions,
                    (each.expected_gpus_per_node, each.expected_efas_per_node),
                )
                for each in manifest.pools
            ],
            "mounts": [(each.kind, each.mount_path, each.efa) for each in manifest.file_systems],
            "slurm": [_slurm(folder / "state", node) for node in _compute(folder / "state")],
            "limits": [queue_settings(each, kind=kind) for each in environment.orchestrator.partitions],
            "settings": cluster_settings(environment.orchestrator, kind=kind),
        }
    finally:
        stop_sandbox(record)


def _validate(file: Path, variables: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from bedplate.cli.start import main; main()", "validate", "-e", str(file)],
        env={**os.environ, **variables},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def _manifest(sandbox: Deployment) -> ClusterManifest:
    named = sandbox.client("ssm").get_parameter(Name=f"/bedplate/{sandbox.environment.name}/manifest")
    bucket, key = named["Parameter"]["Value"].removeprefix("s3://").split("/", 1)
    body = sandbox.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    return ClusterManifest.model_validate_json(body)


def _compute(state: Path) -> list[Path]:
    """The folders of the nodes that take jobs."""
    nodes = sorted((state / "fleet").glob("i-*"))
    return [each for each in nodes if _record(each)["role"] == "compute"]


def _record(node: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((node / "root/opt/bedplate/bootstrap.json").read_text())
    return found


def _slurm(state: Path, node: Path) -> dict[str, Any]:
    """What a node mounts and who its users are; every step of its bootstrap is done."""
    record = _record(node)
    assert record["outcome"] == "done", record
    mounts = [line.split() for line in (node / "root/proc/mounts").read_text().splitlines()]
    users = [line for line in (node / "root/etc/passwd").read_text().splitlines() if ":2001:" in line]
    hooks = sorted(each.name for each in (node / "root/opt/bedplate/hooks").iterdir())
    done = {step["name"] for step in record["steps"] if step["outcome"] == "done"}
    return {
        "containers": "install_containers" in done,
        "enroot": (node / "root/etc/enroot/enroot.conf").read_text(),
        "mounts": sorted((words[1], words[2]) for words in mounts if words[1] in ("/fsx", "/home")),
        "scratch": [words[1] for words in mounts if words[1] == "/scratch"],
        "users": users,
        "hooks": hooks,
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Kind → what came of it, as the tests go on."""
    return {"folder": {"path": tmp_path_factory.mktemp("kinds")}}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_deployed_and_passes_validation(kind: str, found: dict[str, dict[str, Any]]) -> None:
    """By the real CDK, and by the way to the nodes that the kind has: Run Command, or the controller's desk
    and Slurm.
    """
    found[kind] = _deployed(kind, found["folder"]["path"] / kind)
    assert [len(each["users"]) for each in found[kind]["slurm"]] == [1, 1]


def test_only_the_kind_is_changed_and_the_cluster_is_the_same(found: dict[str, dict[str, Any]]) -> None:
    """Pools, partitions, GPUs, EFAs, limits, mounts, users and hooks are equal; so are the settings that
    no service keeps for itself.
    """
    made = {kind: dict(found[kind]) for kind in KINDS}
    settings = {kind: each.pop("settings") for kind, each in made.items()}
    pcs, *others = made.values()
    assert others == [pcs, pcs]
    assert pcs["slurm"][0]["mounts"] == [("/fsx", "lustre"), ("/home", "nfs4")]
    assert pcs["slurm"][0]["scratch"] == ["/scratch"]
    assert pcs["slurm"][0]["containers"]
    for (kind, ours), theirs in product(settings.items(), settings.values()):
        for name, value in theirs.items():
            assert ours.get(name, value) == value
            left_alone = kind in LEFT_ALONE.get(name, ()) or not settable(name, scope="cluster", kind=kind)
            assert name in ours or left_alone, (kind, name)
