"""What a node offers: the hardware table's devices, and a reserve that no job asks for."""

from __future__ import annotations

import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.kubernetes.counts import RESOURCES, node_offer, pod_share, resources
from bedplate.spec.pools import Pool
from tests.kubernetes.pools import GB200, every_pool, pool


@pytest.mark.parametrize("each", every_pool(), ids=lambda each: f"{each.instance_type}-{each.name}")
def test_devices_are_those_of_the_hardware_table(each: Pool) -> None:
    """GPUs and EFAs are the row's, and cores and memory less than the row's, by room for a launcher more in
    a pod than on the node.
    """
    row, node, pod = INSTANCE_TYPES[each.instance_type], node_offer(each), pod_share(each)
    assert node.gpus == pod.gpus == row.gpus
    assert node.efas == pod.efas == (each.efas or row.efa_count)
    assert 0 < pod.cores < node.cores < row.vcpus
    assert 0 < pod.memory_gib < node.memory_gib
    assert node.memory_gib + node.huge_pages_mib / 1024 <= row.memory_gib * 0.9


def test_the_layout_of_the_pool_counts() -> None:
    """A GB200 pool with eight EFAs a node offers eight, not the four of the usual layout."""
    assert node_offer(pool(**GB200)).efas == 4
    assert node_offer(pool(**GB200, efas=8)).efas == 8


def test_requests_equal_limits_but_for_cores() -> None:
    """Devices, huge pages and memory have one amount as request and limit; cores have a request alone."""
    found = resources(pod_share(pool()))
    assert set(found["requests"]) == set(RESOURCES)
    assert {**found["limits"], "cpu": found["requests"]["cpu"]} == found["requests"]
    assert found["requests"]["nvidia.com/gpu"] == 8
    assert found["requests"]["vpc.amazonaws.com/efa"] == 16
    assert found["requests"]["hugepages-2Mi"] == "10256Mi"
