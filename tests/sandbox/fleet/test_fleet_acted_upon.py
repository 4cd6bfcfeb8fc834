"""The real set-nodes on the simulated login node: drains, their limits, and the way back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.node.set_nodes import Change, encode_changes
from bedplate.validation.actions.cluster import Cluster
from bedplate.validation.actions.live import is_busy, is_drained

from .asking import LOGIN, ask
from .conftest import MakeFleet, node_id
from .validating import FleetTransport, _Instances, manifest

REASON = "bedplate act-1: efa-device-lost (EFA-001)"


def _cluster(fleet: Any, nodes: int) -> Cluster:
    clients: Any = SimpleNamespace(ec2=SimpleNamespace(get_paginator=lambda name: _Instances(nodes)))
    transport: Any = FleetTransport(fleet, clients)
    return Cluster(clients, manifest(nodes), transport)


def test_a_node_is_drained_seen_drained_and_put_back(make_ready: MakeFleet) -> None:
    """scontrol shows state and reason; srun refuses the node; after the resume it takes jobs again."""
    fleet = make_ready(nodes=3)
    cluster = _cluster(fleet, 3)
    problems, after = cluster.change([Change("gpu-2", "10.0.1.6", "DRAIN", REASON)])
    assert problems == {"gpu-2": ""}
    assert [node.name for node in after.values() if is_drained(node)] == ["gpu-2"]
    assert after["10.0.1.6"].reason.startswith(f"{REASON} [root@")
    shown = fleet.run_shell(LOGIN, "sinfo", 60).stdout
    assert " drain gpu-2" in shown
    refused = fleet.run_shell(LOGIN, "srun --nodelist=gpu-2 --nodes=1 --immediate=1 hostname", 60)
    assert refused.rc == 1
    problems, after = cluster.change([Change("gpu-2", "10.0.1.6", "UNDRAIN", REASON)])
    assert problems == {"gpu-2": ""}
    assert not any(is_drained(node) for node in after.values())
    assert fleet.run_shell(LOGIN, "srun --nodelist=gpu-2 --nodes=1 --immediate=1 hostname", 60).rc == 0


def test_a_node_with_a_job_is_draining_and_busy(make_ready: MakeFleet) -> None:
    """The job goes on: Slurm shows the node allocated and drained at once."""
    fleet = make_ready(nodes=2)
    fleet.occupy(node_id(0))
    problems, after = _cluster(fleet, 2).change([Change("gpu-1", "10.0.1.5", "DRAIN", REASON)])
    assert problems == {"gpu-1": ""}
    assert is_drained(after["10.0.1.5"])
    assert is_busy(after["10.0.1.5"])


def test_the_drain_stays_on_the_name_when_the_instance_goes(make_ready: MakeFleet) -> None:
    """As in Slurm, a name that was drained is drained for the next instance, until somebody lifts it."""
    fleet = make_ready(nodes=2)
    _cluster(fleet, 2).change([Change("gpu-1", "10.0.1.5", "DRAIN", REASON)])
    fleet.terminate(node_id(0))
    fleet.boot(
        node_id(9),
        instance_type="p5en.48xlarge",
        role="compute",
        private_ip="10.0.1.99",
        slurm_name="gpu-1",
        user_data="",
        tags={},
        s3_fetch=lambda bucket, key: b"",
        partitions=["gpu"],
    )
    told = fleet.run_shell(LOGIN, "scontrol show node gpu-1 -o", 60).stdout
    assert "State=IDLE+CLOUD+DRAIN" in told
    body = ask(
        fleet,
        LOGIN,
        "set-nodes",
        "--changes",
        encode_changes([Change("gpu-1", "10.0.1.5", "UNDRAIN", REASON)]),
    )
    assert "another instance" in body["changes"][0]["refused"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("NodeName=gpu-9 State=DRAIN Reason=x", "Invalid node name"),
        ("NodeName=gpu-1 State=DRAIN", "specify a reason"),
        ("NodeName=gpu-1 State=RESUME", "Invalid node state"),
        ("NodeName=gpu-1 State=IDLE", "Invalid node state"),
        ("NodeName=gpu-1 Weight=5", "not supported"),
    ],
)
def test_scontrol_refuses_what_slurm_refuses(
    make_ready: MakeFleet, words: str, said: str, tmp_path: Path
) -> None:
    """Unknown nodes, a drain without a reason, a resume of what is not drained."""
    fleet = make_ready(nodes=1)
    result = fleet.run_shell(LOGIN, f"scontrol update {words}", 60)
    assert result.rc == 1
    assert said in result.stderr
