"""UltraServer rows."""

from __future__ import annotations

import pytest

from bedplate.hardware import INSTANCE_TYPES, ULTRASERVERS, ultraserver, ultraservers_of


@pytest.mark.parametrize(
    ("name", "instances", "gpus", "efa_gbps"),
    [("u-p6e-gb200x36", 9, 36, 14_400), ("u-p6e-gb200x72", 18, 72, 28_800)],
)
def test_sizes_are_those_that_aws_sells(name: str, instances: int, gpus: int, efa_gbps: int) -> None:
    """Both sizes have the published counts of instances and GPUs and the published EFA bandwidth."""
    row = ultraserver(name)
    assert (row.instances, row.gpus, row.efa_gbps_total) == (instances, gpus, efa_gbps)
    assert row.instance_type is INSTANCE_TYPES["p6e-gb200.36xlarge"]
    assert name == row.name
    assert name.endswith(f"x{row.gpus}")


def test_the_largest_holds_the_published_storage() -> None:
    """18 instances of 3 × 7.5 TB make the 405 TB that AWS states."""
    row = ultraserver("u-p6e-gb200x72")
    assert row.instances * row.instance_type.nvme_count * row.instance_type.nvme_gb_each == 405_000


def test_they_are_sold_in_the_dallas_local_zone_only() -> None:
    """Every UltraServer names the one zone in which it is sold, and the two ways to buy it."""
    for row in ULTRASERVERS.values():
        assert row.zones == ("us-east-1-dfw-2a",)
        assert row.capacity_sources == ("ultraserver-block", "training-plan")
        assert row.sources


def test_only_gb200_instances_make_ultraservers() -> None:
    """Looking from the instance type finds the UltraServers, smallest first, and none for the others."""
    found = ultraservers_of("p6e-gb200.36xlarge")
    assert [row.name for row in found] == ["u-p6e-gb200x36", "u-p6e-gb200x72"]
    assert all(not ultraservers_of(name) for name in INSTANCE_TYPES if name != "p6e-gb200.36xlarge")
