"""How many addresses of the GPU subnet an environment takes, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bedplate.spec import load_environment
from bedplate.spec.addresses import (
    control_subnet_addresses,
    control_subnet_need,
    gpu_addresses_needed,
    gpu_subnet_addresses,
    gpu_subnet_need,
)
from bedplate.spec.file_systems import Efs, ExistingEfs, Lustre, LustreTiering, OpenZfs
from bedplate.spec.network import Network
from bedplate.spec.orchestrator import Login
from bedplate.spec.pools import Pool

ENVIRONMENTS = Path(__file__).parents[2] / "environments"
ZONE = "usw2-az2"
DALLAS = "use1-dfw2-az1"


def _pool(instance_type: str = "p5.48xlarge", **changes: Any) -> Pool:
    return Pool(
        **{
            "name": "one",
            "instance_type": instance_type,
            "nodes": 10,
            "capacity": {"source": "on-demand"},
            **changes,
        }
    )


@pytest.mark.parametrize(
    ("pool", "addresses"),
    [
        (_pool(), 10),
        (_pool(interfaces="more-address-bandwidth"), 80),
        (_pool("p6-b200.48xlarge", interfaces="more-address-bandwidth"), 80),
        (_pool("p6-b300.48xlarge"), 10),
        (_pool("p6-b300.48xlarge", interfaces="more-address-bandwidth"), 170),
        (_pool("p6e-gb200.36xlarge", efas=8), 10),
        (_pool(nodes={"min": 0, "max": 25}), 25),
        (_pool("p9.unknown"), 10),
        (_pool("p5.4xlarge", interfaces="more-address-bandwidth"), 10),
    ],
)
def test_nodes_take_the_addresses_of_their_layout(pool: Pool, addresses: int) -> None:
    """At the pool's largest; EFA-only interfaces take none; one where type or layout is refused anyway."""
    assert gpu_subnet_need(pools=[pool], login=None, file_systems=[], zone=ZONE) == addresses


@pytest.mark.parametrize(
    ("file_system", "addresses"),
    [
        (Lustre(kind="lustre", mount="/a", capacity_gib=1200), 1 + 16),
        (Lustre(kind="lustre", mount="/a", capacity_gib=38400), 32 + 16),
        (LustreTiering(kind="lustre-tiering", mount="/a", throughput_mbps=8000, read_cache_gib=0), 8 + 16),
        (OpenZfs(kind="openzfs", mount="/a", capacity_gib=64), 3),
        (Efs(kind="efs", mount="/a"), 1),
        (ExistingEfs(kind="existing-efs", mount="/a", id="fs-01234567"), 0),
    ],
)
def test_file_systems_take_theirs_where_they_stand(file_system: Any, addresses: int) -> None:
    """In the GPU subnet, but beside it where that is in a Local Zone; existing ones have theirs already."""
    for zone, expected in ((ZONE, addresses), (DALLAS, 0)):
        need = gpu_subnet_need(pools=[], login=None, file_systems=[file_system, file_system], zone=zone)
        assert need == 2 * expected


def test_login_nodes_stand_beside_a_local_zone() -> None:
    """They take an address of the GPU subnet anywhere else."""
    login = Login(nodes=3)
    assert gpu_subnet_need(pools=[], login=login, file_systems=[], zone=ZONE) == 3
    assert gpu_subnet_need(pools=[], login=login, file_systems=[], zone=DALLAS) == 0


def test_the_demo_fits_its_half_of_the_range() -> None:
    """8 nodes, a login node, and 48 for the file system, of the 32,763 in the upper half of a /16."""
    assert gpu_addresses_needed(load_environment(ENVIRONMENTS / "demo.yaml")) == 8 + 1 + 48
    assert gpu_subnet_addresses("10.40.0.0/16") == 32_768 - 5


@pytest.mark.parametrize(
    ("network", "addresses"),
    [
        ({}, 1 + 1),
        ({"internet": "none"}, 1 + 5 + 1),
        ({"internet": "none", "endpoint_services": ("ecr.api", "logs")}, 1 + 5 + 2 + 1),
        ({"zone": DALLAS}, 1 + 2 + 1 + 3),
        ({"zone": DALLAS, "internet": "none"}, 1 + 5 + 2 + 1 + 3),
    ],
)
def test_a_control_subnet_holds_what_stands_in_it(network: dict[str, Any], addresses: int) -> None:
    """Scheduler, endpoints and mount target; beside a Local Zone two login nodes and all file systems."""
    place = Network(**{"zone": ZONE, "control_zones": ("usw2-az1", "usw2-az2"), **network})
    systems = [Efs(kind="efs", mount="/a"), OpenZfs(kind="openzfs", mount="/b", capacity_gib=64)]
    assert control_subnet_need(network=place, login=Login(nodes=2), file_systems=systems) == addresses
    assert control_subnet_addresses("10.0.0.0/25") == 16 - 5
