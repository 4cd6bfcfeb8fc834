"""Floors: 0.9 × a published figure, by stated rules, and nothing without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.hardware import (
    GIB,
    INSTANCE_TYPES,
    MIB,
    PUBLISHED,
    Floor,
    Published,
    UnknownCollective,
    UnknownInstanceType,
    bandwidth_floor,
    instance_type,
)
from bedplate.hardware.bandwidth.floor import size_text

_PAGE = "micro-benchmarks/nccl-tests/slurm/topology-aware-nccl-tests/README.md"

EVERY = pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda row: f"{row.instance_type}-{row.collective}-{row.nodes}"
)


def _all_reduce(name: str, nodes: int, size_bytes: int = 16 * GIB) -> Floor | None:
    return bandwidth_floor(instance_type=name, collective="all_reduce", nodes=nodes, size_bytes=size_bytes)


@EVERY
def test_a_published_run_asks_for_nine_tenths_of_itself(row: Published) -> None:
    """For the very run that was published the floor is 0.9 of it, with its size, nodes and source."""
    floor = bandwidth_floor(
        instance_type=row.instance_type,
        collective=row.collective,
        nodes=row.nodes,
        size_bytes=row.size_bytes,
        path=row.path,
    )
    assert floor is not None
    assert 0.9 * row.gb_per_s - 0.1 < floor.value_gb_per_s <= 0.9 * row.gb_per_s + 1e-6
    assert (floor.size_bytes, floor.nodes, floor.source) == (row.size_bytes, row.nodes, row.source)
    assert floor.derived == bool(row.derivation)


@pytest.mark.parametrize(
    ("name", "nodes", "value"),
    [
        ("p5.48xlarge", 1, 434.7),
        ("p5.48xlarge", 2, 438.3),
        ("p5en.48xlarge", 1, 434.0),
        ("p5e.48xlarge", 1, 434.0),
        ("p5en.48xlarge", 16, 332.4),
        ("p6-b200.48xlarge", 1, 761.1),
        ("p6-b200.48xlarge", 4, 339.3),
        ("p6-b300.48xlarge", 2, 588.6),
        ("p6e-gb200.36xlarge", 4, 794.2),
    ],
)
def test_the_floors_that_matter_have_their_values(name: str, nodes: int, value: float) -> None:
    """At 16 GiB the all_reduce floors are these, in GB/s."""
    floor = _all_reduce(name, nodes)
    assert floor is not None
    assert floor.value_gb_per_s == pytest.approx(value)


def test_eight_p5en_nodes_are_held_to_the_sixteen_node_figure() -> None:
    """Eight p5en nodes have a floor, derived from 16 nodes, and it says from where and why."""
    floor = _all_reduce("p5en.48xlarge", 8)
    assert floor is not None
    assert floor.derived
    assert (floor.nodes, floor.size_bytes, floor.published_gb_per_s) == (16, 16 * GIB, 369.4)
    assert floor.value_gb_per_s == pytest.approx(332.4)
    assert floor.source.endswith(_PAGE)
    assert "published for 16 × p5en.48xlarge at 16 GiB" in floor.reasoning
    assert "falls as nodes are added" in floor.reasoning


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("p5en.48xlarge", 17),
        ("p5.48xlarge", 3),
        ("p6-b200.48xlarge", 5),
        ("p6-b300.48xlarge", 4),
        ("p5e.48xlarge", 2),
        ("p6-b300.48xlarge", 1),
        ("p5.4xlarge", 2),
    ],
)
def test_beyond_what_was_published_there_is_no_floor(name: str, nodes: int) -> None:
    """More nodes than were published, or a type that was not, have no floor: a guess is not a floor."""
    assert _all_reduce(name, nodes) is None


def test_messages_smaller_than_any_published_have_no_floor() -> None:
    """Below the smallest published size nothing is asked."""
    assert _all_reduce("p5.48xlarge", 2, 128 * MIB - 1) is None
    assert _all_reduce("p5.48xlarge", 2, 128 * MIB) is not None


def test_larger_messages_are_held_to_the_largest_published_size_below() -> None:
    """A 12 GiB run is held to the 8 GiB figure, as a derived floor that says so."""
    floor = _all_reduce("p5.48xlarge", 2, 12 * GIB)
    assert floor is not None
    assert (floor.size_bytes, floor.derived) == (8 * GIB, True)
    assert "holds at 12 GiB" in floor.reasoning


def test_a_board_measured_elsewhere_counts_as_derived() -> None:
    """The in-node figure of H200 comes from another board, and the floor does not hide it."""
    floor = _all_reduce("p5en.48xlarge", 1)
    assert floor is not None
    assert floor.derived
    assert "elsewhere" in floor.reasoning


def test_within_nvlink_a_figure_holds_for_its_own_node_count_only() -> None:
    """GB200 over NVLink has a floor for the 4 and 18 nodes that were published, and for no other count."""
    assert [nodes for nodes in range(1, 19) if _all_reduce("p6e-gb200.36xlarge", nodes)] == [4, 18]


def test_with_nvlink_off_the_efa_figure_is_asked() -> None:
    """With NVLink between instances off, GB200 is held to what EFA was seen to do."""
    floor = bandwidth_floor(
        instance_type="p6e-gb200.36xlarge",
        collective="all_reduce",
        nodes=3,
        size_bytes=16 * GIB,
        path="efa",
    )
    assert floor is not None
    assert floor.value_gb_per_s == pytest.approx(172.2)


@given(st.sampled_from(sorted(INSTANCE_TYPES)), st.integers(1, 64), st.integers(1, 2**38))
def test_floors_stand_on_published_rows_of_their_own_type(name: str, nodes: int, size_bytes: int) -> None:
    """Every floor leads back to a row of its own type with no smaller node count and no larger message."""
    floor = _all_reduce(name, nodes, size_bytes)
    if floor is None:
        return
    rows = [
        row for row in PUBLISHED if row.instance_type == name and row.gb_per_s == floor.published_gb_per_s
    ]
    assert any(
        (row.nodes, row.size_bytes, row.source) == (floor.nodes, floor.size_bytes, floor.source)
        for row in rows
    )
    assert floor.nodes >= nodes
    assert floor.size_bytes <= size_bytes


@EVERY
def test_figures_never_fall_as_messages_grow(row: Published) -> None:
    """No figure is above one for a larger message of the same run: the rule that a figure holds upwards."""
    same = [
        other
        for other in PUBLISHED
        if (other.instance_type, other.collective, other.nodes, other.path)
        == (row.instance_type, row.collective, row.nodes, row.path)
    ]
    assert all(other.gb_per_s >= row.gb_per_s for other in same if other.size_bytes > row.size_bytes)


def test_published_rows_say_each_run_once() -> None:
    """No two rows speak of the same run, and each has a source and a plausible figure."""
    keys = [(row.instance_type, row.collective, row.nodes, row.size_bytes, row.path) for row in PUBLISHED]
    assert len(keys) == len(set(keys))
    assert all(row.source and row.gb_per_s > 0 and row.instance_type in INSTANCE_TYPES for row in PUBLISHED)


def test_questions_that_make_no_sense_are_refused() -> None:
    """Unknown names and counts below one are errors, so that they never look like a missing floor."""
    with pytest.raises(UnknownInstanceType):
        _all_reduce("p5n.48xlarge", 2)
    with pytest.raises(UnknownCollective):
        bandwidth_floor(instance_type="p5en.48xlarge", collective="allreduce", nodes=2, size_bytes=GIB)
    with pytest.raises(ValueError, match="size_bytes"):
        _all_reduce("p5en.48xlarge", 2, 0)
    with pytest.raises(ValueError, match="nodes"):
        _all_reduce("p5en.48xlarge", 0)


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(16 * GIB, "16 GiB"), (128 * MIB, "128 MiB"), (1536 * MIB, "1536 MiB"), (8, "8 bytes")],
)
def test_sizes_read_as_people_write_them(size_bytes: int, text: str) -> None:
    """Sizes are shown in the largest unit that divides them."""
    assert size_text(size_bytes) == text


def test_fewer_efas_than_the_published_run_had_are_not_held_to_its_figure() -> None:
    """A figure over EFA needs its EFA rate; as much by other devices is as much, and NVLink does not mind."""
    whole = instance_type("p6-b200.48xlarge")
    half = replace(whole, efa_gbps_each=whole.efa_gbps_each // 2)
    asked: dict[str, Any] = {"collective": "all_reduce", "size_bytes": 16 * GIB}
    assert bandwidth_floor(instance_type=whole, nodes=4, **asked) is not None
    assert bandwidth_floor(instance_type=half, nodes=4, **asked) is None
    assert bandwidth_floor(instance_type=half, nodes=1, **asked) is not None
    gb200 = instance_type("p6e-gb200.36xlarge")
    for layout in gb200.layouts:
        other = gb200.laid_out(choice=layout.choice, efas=layout.efa_count)
        assert bandwidth_floor(instance_type=other, nodes=4, path="efa", **asked) is not None


@pytest.mark.parametrize("name", ["p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"])
def test_a_pair_is_held_to_what_efas_of_the_same_rate_did(name: str) -> None:
    """All-gather and all-to-all of a pair are bound by EFA: p5's figure holds, as a derived one."""
    for collective, value in (("all_gather", 304.7), ("alltoall", 71.1)):
        floor = bandwidth_floor(instance_type=name, collective=collective, nodes=2, size_bytes=16 * GIB)
        assert floor is not None
        assert floor.value_gb_per_s == pytest.approx(value)
        assert floor.derived
        assert "same rate" in floor.reasoning
