"""Fleets of simulated nodes for the tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bedplate.constructs.node_bootstrap import LustreMount, NodeBootstrap
from bedplate.node.zipapp import build_node_zipapp
from bedplate.sandbox.fleet import FaultPlan, Fleet

LOGIN = "i-0aaaaaaaaaaaaaaaa"
MakeFleet = Callable[..., Fleet]


def node_id(index: int) -> str:
    """The instance id of the compute node with this index."""
    return f"i-{index:017x}"


def fault(cause: str, node_index: int | None = 0, **detail: float) -> dict[str, Any]:
    """One entry of a faults file."""
    return {"cause": cause, "node_index": node_index, "detail": detail}


@pytest.fixture(scope="session")
def node_program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The node program as the deployment ships it."""
    return build_node_zipapp(output=tmp_path_factory.mktemp("program") / "bedplate-node.pyz").read_bytes()


def bootstrap(program: bytes, *, role: Any = "compute") -> str:
    """The user data that the deployment gives a p5en node."""
    return NodeBootstrap(
        role=role,
        program_bucket="assets",
        program_key="node.pyz",
        program_sha256=hashlib.sha256(program).hexdigest(),
        gpus=role == "compute",
        nvme_count=8 if role == "compute" else 0,
        lustre=LustreMount(
            dns_name="fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
            mount_name="abcdef12",
            mount_point="/fsx",
            lnet_efa_count=8 if role == "compute" else 0,
        ),
    ).user_data()


@pytest.fixture
def make_fleet(tmp_path: Path) -> Iterator[MakeFleet]:
    """``make_fleet(*faults, nodes=2, user_data="", fetch=…)``: a booted fleet with a login node."""
    fleets: list[Fleet] = []

    def make(
        *faults: dict[str, Any],
        nodes: int = 2,
        user_data: str = "",
        login_user_data: str = "",
        fetch: Callable[[str, str], bytes] = lambda bucket, key: b"",
        instance_type: str = "p5en.48xlarge",
        seed: str = "test",
    ) -> Fleet:
        plan = FaultPlan.from_json({"seed": seed, "faults": list(faults)})
        fleet = Fleet(tmp_path / f"state-{len(fleets)}", plan)
        fleets.append(fleet)
        for index in range(nodes):
            fleet.boot(
                node_id(index),
                instance_type=instance_type,
                role="compute",
                private_ip=f"10.0.1.{index + 5}",
                slurm_name=f"gpu-{index + 1}",
                user_data=user_data,
                tags={"Name": "gpu"},
                s3_fetch=fetch,
                partitions=["gpu"],
            )
        fleet.boot(
            LOGIN,
            instance_type="c7i.xlarge",
            role="login",
            private_ip="10.0.0.5",
            slurm_name=None,
            user_data=login_user_data,
            tags={},
            s3_fetch=fetch,
        )
        return fleet

    yield make
    for fleet in fleets:
        fleet.close()
