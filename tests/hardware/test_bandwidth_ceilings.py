"""What the wires allow, against arithmetic done by hand and against everything that was published."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.hardware import (
    GIB,
    INSTANCE_TYPES,
    PUBLISHED,
    Published,
    UnknownCollective,
    bandwidth_ceiling,
    bandwidth_floor,
)

_WITH_NVLINK = [name for name, row in INSTANCE_TYPES.items() if row.has_nvlink]
_COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv")

EVERY = pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda row: f"{row.instance_type}-{row.collective}-{row.nodes}"
)


@pytest.mark.parametrize(
    ("name", "collective", "nodes", "ceiling"),
    [
        ("p5.48xlarge", "all_reduce", 2, 750.0),
        ("p5en.48xlarge", "all_reduce", 16, 400 * 127 / 128 * 16 / 15),
        ("p6-b200.48xlarge", "all_reduce", 4, 400 * 31 / 32 * 4 / 3),
        ("p6-b300.48xlarge", "all_reduce", 2, 1500.0),
        ("p5.48xlarge", "alltoall", 2, 93.75),
        ("p5.48xlarge", "all_reduce", 1, 2 * 7 / 8 * 450),
        ("p6-b200.48xlarge", "all_gather", 1, 900.0),
        ("p5.48xlarge", "broadcast", 4, 400.0),
    ],
)
def test_ceilings_match_the_arithmetic(name: str, collective: str, nodes: int, ceiling: float) -> None:
    """Ceilings are those that the wire rates give by hand."""
    found = bandwidth_ceiling(instance_type=name, collective=collective, nodes=nodes)
    assert found.value_gb_per_s == pytest.approx(ceiling)


@EVERY
def test_no_published_figure_is_above_its_ceiling(row: Published) -> None:
    """Nothing that was measured exceeds what the arithmetic allows, so the arithmetic may stand."""
    ceiling = bandwidth_ceiling(
        instance_type=row.instance_type, collective=row.collective, nodes=row.nodes, path=row.path
    )
    assert row.gb_per_s <= ceiling.value_gb_per_s


@given(
    st.sampled_from(_WITH_NVLINK),
    st.sampled_from(("all_reduce", "all_gather", "alltoall")),
    st.integers(1, 64),
    st.integers(1, 2**40),
    st.sampled_from([None, "efa"]),
)
def test_no_floor_is_above_its_ceiling(
    name: str, collective: str, nodes: int, size_bytes: int, path: str | None
) -> None:
    """Whatever is asked for, a floor never demands more than the wires allow."""
    floor = bandwidth_floor(
        instance_type=name, collective=collective, nodes=nodes, size_bytes=size_bytes, path=path
    )
    ceiling = bandwidth_ceiling(instance_type=name, collective=collective, nodes=nodes, path=path)
    assert floor is None or floor.value_gb_per_s < ceiling.value_gb_per_s


@given(
    st.sampled_from(_WITH_NVLINK),
    st.sampled_from(("all_reduce", "all_gather", "reduce_scatter", "alltoall")),
    st.integers(2, 200),
)
def test_over_efa_more_nodes_never_allow_more(name: str, collective: str, nodes: int) -> None:
    """Over EFA the ceiling falls as nodes are added: the ground on which floors hold for fewer nodes."""
    fewer = bandwidth_ceiling(instance_type=name, collective=collective, nodes=nodes, path="efa")
    more = bandwidth_ceiling(instance_type=name, collective=collective, nodes=nodes + 1, path="efa")
    assert more.value_gb_per_s <= fewer.value_gb_per_s + 1e-9


@given(st.sampled_from(_WITH_NVLINK), st.sampled_from(_COLLECTIVES), st.integers(2, 100))
def test_a_flat_ring_fits_under_the_ceiling(name: str, collective: str, nodes: int) -> None:
    """What a ring can reach is never above the ceiling, save for alltoall, which is no ring."""
    found = bandwidth_ceiling(instance_type=name, collective=collective, nodes=nodes)
    assert collective == "alltoall" or found.ring_gb_per_s <= found.value_gb_per_s + 1e-9


def test_an_ultraserver_runs_over_nvlink_until_it_is_full() -> None:
    """Up to 18 GB200 instances share NVLink; with a 19th, or with NVLink off, EFA limits."""
    asked = {"instance_type": "p6e-gb200.36xlarge", "collective": "all_gather"}
    assert bandwidth_ceiling(**asked, nodes=18).limited_by == "nvlink"
    assert bandwidth_ceiling(**asked, nodes=18).value_gb_per_s == 900
    assert bandwidth_ceiling(**asked, nodes=4, path="efa").limited_by == "efa"
    assert bandwidth_ceiling(**asked, nodes=4, path="efa").value_gb_per_s == pytest.approx(250)
    uneven = bandwidth_ceiling(**asked, nodes=19, path=None)
    assert "2 NVLink domains" in uneven.derivation
    with pytest.raises(ValueError, match="do not share one NVLink domain"):
        bandwidth_ceiling(**asked, nodes=19, path="nvlink")


def test_a_single_gpu_has_no_collective() -> None:
    """One p5.4xlarge has one GPU and moves nothing; two of them are limited by their one EFA."""
    with pytest.raises(ValueError, match="one GPU"):
        bandwidth_ceiling(instance_type="p5.4xlarge", collective="all_reduce", nodes=1)
    two = bandwidth_ceiling(instance_type="p5.4xlarge", collective="all_reduce", nodes=2)
    assert two.value_gb_per_s == pytest.approx(12.5)


@pytest.mark.parametrize("nodes", [0, -3])
def test_without_nodes_there_is_no_ceiling(nodes: int) -> None:
    """Fewer than one node is an error, not a number."""
    with pytest.raises(ValueError, match="nodes must be 1 or more"):
        bandwidth_ceiling(instance_type="p5en.48xlarge", collective="all_reduce", nodes=nodes)


def test_a_collective_that_was_not_figured_out_is_refused() -> None:
    """For gather, whose bound was not derived, there is no ceiling to guess."""
    with pytest.raises(UnknownCollective):
        bandwidth_ceiling(instance_type="p5en.48xlarge", collective="gather", nodes=2)


def test_an_unknown_path_is_refused() -> None:
    """A path is efa, nvlink or left open."""
    with pytest.raises(ValueError, match="path must be"):
        bandwidth_ceiling(instance_type="p5en.48xlarge", collective="all_reduce", nodes=2, path="tcp")


def test_every_published_run_of_large_messages_loads_the_wires() -> None:
    """From 4 GiB on, each reaches three fifths or more of what the wires allow, and none more than they do.

    ``bedplate.diagnosis.bandwidth_expectation`` asks that share where nothing absolute is published.
    """
    for row in PUBLISHED:
        ceiling = bandwidth_ceiling(
            instance_type=row.instance_type, collective=row.collective, nodes=row.nodes, path=row.path
        )
        assert ceiling.allows(row.gb_per_s), row
        assert row.size_bytes < 4 * GIB or row.gb_per_s >= 0.6 * ceiling.wire_gb_per_s, row


def test_what_is_faster_than_the_wires_by_more_than_rounding_is_not_allowed() -> None:
    """The margin is two per cent."""
    ceiling = bandwidth_ceiling(instance_type="p5en.48xlarge", collective="all_reduce", nodes=16)
    assert ceiling.allows(ceiling.value_gb_per_s * 1.01)
    assert not ceiling.allows(ceiling.value_gb_per_s * 1.03)
