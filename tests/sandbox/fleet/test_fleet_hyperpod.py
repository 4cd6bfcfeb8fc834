"""HyperPod's part of a boot, our life-cycle script and the node program, run whole on simulated nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import bedplate
from bedplate.hardware import instance_type
from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.record import read_record
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.sandbox.fleet import Fleet
from bedplate.sandbox.resources.hyperpod_agent import Folder, agent_script, resource_config, slurm_conf
from bedplate.sandbox.sandbox import HyperPodNode

from .conftest import FSX, LOGIN, MakeFleet, node_id

SCRIPTS = Path(bedplate.__file__).parent / "constructs/hyperpod_life_cycle"
CLUSTER: Mapping[str, Any] = {
    "ClusterArn": "arn:aws:sagemaker:us-west-2:123456789012:cluster/0123456789ab",
    "ClusterName": "proof",
    "InstanceGroups": [
        {
            "InstanceGroupName": "controller",
            "InstanceType": "ml.m7i.large",
            "SlurmConfig": {"NodeType": "Controller"},
        },
        {
            "InstanceGroupName": "gpu",
            "InstanceType": "ml.p5en.48xlarge",
            "SlurmConfig": {"NodeType": "Compute", "PartitionNames": ["gpu"]},
        },
    ],
}


def _node(instance_id: str, group: str, address: str) -> HyperPodNode:
    return HyperPodNode(
        instance_id=instance_id,
        cluster_arn=str(CLUSTER["ClusterArn"]),
        group=group,
        instance_type="",
        subnet_id="",
        interface_id="",
        private_ip=address,
        slurm_name="",
        launched=datetime.now(UTC),
    )


HEAD, GPU = _node(LOGIN, "controller", "10.0.0.5"), _node(node_id(0), "gpu", "10.0.1.5")


def _folder(program: bytes, *, digest: str) -> dict[str, bytes]:
    hardware = instance_type("p5en.48xlarge")
    compute = NodeSettings(
        environment="proof",
        pool="gpu",
        role="compute",
        result_bucket="results",
        instance_type=hardware.name,
        gpus=hardware.gpus,
        nvme_count=hardware.nvme_count,
        nvme_gb_each=hardware.nvme_gb_each,
        local_nvme="raid0",
        efa_count=hardware.efa_count,
        lnet_efa_count=hardware.lnet_efa_count,
        mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
    )
    head = NodeSettings(environment="proof", pool="controller", role="login", result_bucket="results")
    return {
        "on_create.sh": (SCRIPTS / "on_create.sh").read_bytes(),
        "place.py": (SCRIPTS / "place.py").read_bytes(),
        "bedplate-node.pyz": program,
        "bedplate-node.sha256": f"{digest}\n".encode(),
        "groups": b"controller Controller\ngpu Compute\n",
        "slurm-settings.conf": b"KillWait=60\n",
        "slurmd-gate.conf": gate.DROP_IN.encode(),
        "settings-controller.json": head.to_json().encode(),
        "settings-gpu.json": compute.to_json().encode(),
    }


def _boot(make_fleet: MakeFleet, program: bytes, *, digest: str = "") -> Fleet:
    files = _folder(program, digest=digest or hashlib.sha256(program).hexdigest())
    folder = Folder("scripts", "proof/1", tuple(f"proof/1/{name}" for name in files), "on_create.sh")
    config = resource_config(CLUSTER, [HEAD, GPU])
    heads = slurm_conf(CLUSTER, [HEAD, GPU])
    return make_fleet(
        nodes=1,
        user_data=agent_script(GPU, config=config, slurm_conf=None, folder=folder),
        login_user_data=agent_script(HEAD, config=config, slurm_conf=heads, folder=folder),
        fetch=lambda bucket, key: files[key.removeprefix("proof/1/")],
    )


def _read(fleet: Fleet, node: str, path: str) -> str:
    return fleet.run_shell(node, f'cat "$BEDPLATE_ROOT/{path}"', 20).stdout


def test_nodes_are_set_up_whole_by_their_life_cycle_script(
    make_fleet: MakeFleet, node_program: bytes
) -> None:
    """A compute node does every step before slurmd; the controller has its settings beside HyperPod's."""
    fleet = _boot(make_fleet, node_program)
    assert fleet.boot_report(node_id(0)).summary == "booted"
    assert fleet.boot_report(LOGIN).summary == "booted"
    record = read_record(_read(fleet, node_id(0), "opt/bedplate/bootstrap.json"))
    assert record is not None
    assert record.pool == "gpu"
    assert record.is_done, [step for step in record.steps if step.outcome == "failed"]
    assert "/fsx type lustre" in fleet.run_shell(node_id(0), "mount", 20).stdout
    unit = _read(fleet, node_id(0), "etc/systemd/system/slurmd.service")
    assert "slurmd -D --conf-server 10.0.0.5\n" in unit
    conf = _read(fleet, LOGIN, "opt/slurm/etc/slurm.conf")
    assert "SlurmctldHost=ip-10-0-0-5(10.0.0.5)\n" in conf
    assert conf.endswith("Include bedplate.conf\n")
    assert _read(fleet, LOGIN, "opt/slurm/etc/bedplate.conf") == "KillWait=60\n"
    assert "State=IDLE" in fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 10).stdout


def test_a_node_with_another_program_takes_no_jobs(make_fleet: MakeFleet, node_program: bytes) -> None:
    """The script ends with 1, and Slurm does not get the node."""
    fleet = _boot(make_fleet, node_program, digest="0" * 64)
    report = fleet.boot_report(node_id(0))
    assert not report.ok
    assert "State=IDLE" not in fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 10).stdout
    log = _read(fleet, node_id(0), "var/log/provision/provisioning.log")
    assert "failed: the node program beside this script is not the one that was deployed" in log


def test_systemd_enables_slurms_daemons_alone(make_fleet: MakeFleet) -> None:
    """Whatever else a script would enable is refused, since nothing would play it."""
    fleet = make_fleet(nodes=1)
    assert fleet.run_shell(node_id(0), "systemctl enable --now slurmd", 10).rc == 0
    refused = fleet.run_shell(node_id(0), "systemctl enable --now docker", 10)
    assert refused.rc == 1
    assert "Unknown command verb" in refused.stderr
