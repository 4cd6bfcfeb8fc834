"""Simulated bandwidth is near what was published, within what is possible, and above the floors."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES
from bedplate.hardware import (
    NVLINK,
    PUBLISHED,
    bandwidth_ceiling,
    bandwidth_floor,
    busbw_factor,
    instance_type,
)
from bedplate.sandbox.fleet.performance import (
    ANCHOR_BYTES,
    MODELLED_COLLECTIVES,
    MODELLED_TYPES,
    NOISE,
    Node,
    NotModelled,
    bandwidth_gb_per_s,
    healthy_gb_per_s,
    noise,
    seconds_per_run,
)

COUNTS = (1, 2, 3, 4, 5, 8, 16, 31, 32, 64)
P5EN = Node(gpus=8, efa_gb_per_s=400.0)


def busbw(kind: str, name: str, nodes: int, size: int) -> float:
    """Bus bandwidth of a healthy run of one size, without noise."""
    anchor = healthy_gb_per_s(kind, name, nodes)
    ranks = instance_type(kind).gpus * nodes
    seconds = seconds_per_run(
        collective=name, size_bytes=size, ranks=ranks, nodes=nodes, anchor_gb_per_s=anchor
    )
    return size / seconds / 1e9 * busbw_factor(name, ranks)


@pytest.mark.parametrize("kind", MODELLED_TYPES)
@pytest.mark.parametrize("name", MODELLED_COLLECTIVES)
def test_healthy_bandwidth_lies_between_floor_and_ceiling(kind: str, name: str) -> None:
    """At every node count, with the worst noise either way, and at every size that has a floor."""
    for nodes in COUNTS:
        ceiling = bandwidth_ceiling(instance_type=kind, collective=name, nodes=nodes, path="efa")
        for size in (128 * 2**20, 2**30, 4 * 2**30, ANCHOR_BYTES):
            value = busbw(kind, name, nodes, size)
            floor = bandwidth_floor(
                instance_type=kind, collective=name, nodes=nodes, size_bytes=size, path="efa"
            )
            assert value * (1 + NOISE) <= ceiling.value_gb_per_s, (nodes, size)
            if size in NAMED_SIZES and floor is not None:
                assert value * (1 - NOISE) > floor.value_gb_per_s, (nodes, size)


def test_published_figures_at_16_gib_are_met_within_a_few_percent() -> None:
    """Every published run over NVLink or EFA of a modelled type is reproduced."""
    rows = [
        row for row in PUBLISHED if row.instance_type in MODELLED_TYPES and row.size_bytes == ANCHOR_BYTES
    ]
    assert len(rows) >= 8
    for row in rows:
        over_nvlink = row.path == NVLINK and row.nodes > 1
        value = healthy_gb_per_s(row.instance_type, row.collective, row.nodes, over_nvlink=over_nvlink)
        # The pair of p6-b300 was published with 654 and, later, with 760 at larger messages.
        assert value == pytest.approx(row.gb_per_s, rel=0.06), row


def test_the_ramp_follows_the_published_pair_of_p5() -> None:
    """From 128 MiB on, and in the mean over all sizes (124.5), it is within a tenth of what was published."""
    published = {128: 289, 256: 343, 512: 393, 1024: 437, 2048: 444, 4096: 466, 8192: 479, 16384: 487}
    for size_mib, value in published.items():
        assert busbw("p5.48xlarge", "all_reduce", 2, size_mib * 2**20) == pytest.approx(value, rel=0.1)
    sizes = [8 * 2**step for step in range(32)]
    mean = sum(busbw("p5.48xlarge", "all_reduce", 2, size) for size in sizes) / len(sizes)
    assert mean == pytest.approx(124.5, rel=0.1)


def test_bandwidth_grows_with_the_size() -> None:
    """No message is slower than a smaller one."""
    for nodes in COUNTS:
        rates = [busbw("p5en.48xlarge", "all_reduce", nodes, 8 * 2**step) for step in range(32)]
        assert rates == sorted(rates)


def test_noise_is_small_and_the_same_again() -> None:
    """Within one per cent, and a function of its key alone."""
    factors = [noise(str(key)) for key in range(2000)]
    assert all(abs(factor - 1) <= NOISE for factor in factors)
    assert max(factors) - min(factors) > NOISE
    assert factors == [noise(str(key)) for key in range(2000)]


def measured(name: str, *nodes: Node, **speeds: float) -> float:
    """Bus bandwidth over p5en nodes."""
    return bandwidth_gb_per_s(instance_type="p5en.48xlarge", collective=name, nodes=nodes, **speeds)


def test_a_slow_efa_does_nothing_inside_a_node() -> None:
    """No byte of a collective inside a node crosses an EFA."""
    assert measured("all_reduce", Node(8, 400.0, efa_speed=0.3)) == measured("all_reduce", P5EN)


def test_slow_nvlinks_show_inside_and_between() -> None:
    """What a node cannot move inside it cannot send either."""
    slow = Node(8, 400.0, nvlink_speed=0.6)
    assert measured("all_reduce", slow) == pytest.approx(0.6 * measured("all_reduce", P5EN))
    assert measured("all_reduce", slow, P5EN) == pytest.approx(measured("all_reduce", slow))


def test_one_node_on_sockets_makes_the_job_slower_by_an_order_of_magnitude() -> None:
    """TCP over one interface carries 5 to 10 GB/s."""
    assert 5 <= measured("all_reduce", P5EN, Node(8, 400.0, socket=True)) <= 10


def test_a_slow_device_costs_a_nic_bound_collective_its_whole_share() -> None:
    """All-gather falls as the device does; all-reduce of a pair only once the unused third is gone."""
    for speed in (0.9, 0.7, 0.5, 0.3):
        slow = Node(8, 400.0, efa_speed=speed)
        gathered = measured("all_gather", P5EN, slow) / measured("all_gather", P5EN, P5EN)
        reduced = measured("all_reduce", P5EN, slow) / measured("all_reduce", P5EN, P5EN)
        assert gathered == pytest.approx(speed)
        assert reduced == pytest.approx(min(1.0, speed * 0.87 * 750 / 480))


def test_what_is_not_modelled_is_said() -> None:
    """A type or collective without a published figure raises, and the message lists what there is."""
    for kind, name in (("p5.4xlarge", "all_reduce"), ("p5en.48xlarge", "gather")):
        with pytest.raises(NotModelled, match=r"p5en\.48xlarge"):
            healthy_gb_per_s(kind, name, 2)
