"""What a table proves by its own numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bedplate.diagnosis.parsers.nccl_arithmetic import (
    contradictions,
    data_checked,
    rank_interval,
    recomputed_average,
    sweep_sizes,
    wrong_data,
)
from bedplate.diagnosis.parsers.nccl_record import NcclTestsLog
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from tests.diagnosis import texts

DATA = Path(__file__).resolve().parents[1] / "data"
GIB = texts.GIB


def _log(**changes: object) -> NcclTestsLog:
    arguments: dict[str, object] = {"peak": 400.0, "ranks": 16, **changes}
    return parse_nccl_tests("\n".join(texts.table(**arguments)))  # type: ignore[arg-type]


@pytest.mark.parametrize("ranks", [2, 3, 8, 16, 24, 32, 64, 128])
def test_the_ratio_tells_the_number_of_ranks(ranks: int) -> None:
    """Up to 128 ranks a whole sweep leaves room for that number, and for few others."""
    interval = rank_interval(_log(ranks=ranks), collective="all_reduce")
    assert interval is not None
    assert interval.allows(ranks)
    assert interval.high is not None
    assert interval.high - interval.low <= max(1, ranks // 40)


def test_eight_ranks_are_never_taken_for_sixteen() -> None:
    """The trap of a job that was meant to span nodes and did not."""
    interval = rank_interval(_log(ranks=8), collective="all_reduce")
    assert str(interval) == "8"


def test_many_ranks_give_an_interval_and_not_a_number() -> None:
    """Rounding of the printed values makes the number fuzzy at large scale."""
    interval = rank_interval(_log(ranks=1440), collective="all_reduce")
    assert interval is not None
    assert interval.allows(1440)
    assert interval.high is None or interval.high > interval.low


@pytest.mark.parametrize("collective", ["all_gather", "reduce_scatter", "alltoall"])
def test_one_way_collectives_have_half_the_factor(collective: str) -> None:
    """(n-1)/n instead of 2(n-1)/n."""
    log = _log(ranks=8, collective=collective)
    assert str(rank_interval(log, collective=collective)) == "8"
    assert not contradictions(log, collective=collective)


def test_a_broadcast_tells_nothing_of_its_ranks() -> None:
    """Its factor is 1 whatever their number, and any other factor is a contradiction."""
    log = parse_nccl_tests((DATA / "broadcast-old-root.txt").read_text(encoding="utf-8"))
    assert rank_interval(log, collective="broadcast") is None
    assert contradictions(log, collective="broadcast") == ()
    assert contradictions(_log(), collective="broadcast")


def test_a_healthy_table_agrees_with_itself() -> None:
    """Recomputed time, factor and average are all within rounding."""
    assert contradictions(_log(), collective="all_reduce") == ()


def test_a_bus_bandwidth_below_the_algorithm_bandwidth_is_impossible() -> None:
    """No number of ranks gives an all-reduce such a ratio."""
    lines = texts.table(peak=400.0, ranks=16)
    lines = [line.replace(" 400.00 ", " 210.00 ") for line in lines]
    log = parse_nccl_tests("\n".join(lines))
    assert rank_interval(log, collective="all_reduce") is None
    assert any("no number of ranks" in text for text in contradictions(log, collective="all_reduce"))


def test_a_bandwidth_that_does_not_follow_from_size_and_time_is_found() -> None:
    """A time ten times too long for its algbw is named with its size."""
    lines = [line.replace(" 80530.6 ", " 805306 ", 1) for line in texts.table(peak=400.0, ranks=16)]
    found = contradictions(parse_nccl_tests("\n".join(lines)), collective="all_reduce")
    assert len(found) == 1
    assert "17179869184 B" in found[0]


def test_bytes_that_took_no_time_are_a_contradiction() -> None:
    """A time of zero beside a bandwidth is damage, and is told as such; nothing divides by it."""
    lines = texts.table(peak=400.0, ranks=16)
    rows = [index for index, line in enumerate(lines) if re.match(r"\s+\d+ ", line)]
    cells = lines[rows[-1]].split()
    cells[5] = "0.00"
    lines[rows[-1]] = "  ".join(cells)
    found = contradictions(parse_nccl_tests("\n".join(lines)), collective="all_reduce")
    assert any("are no speed at all, printed is" in line for line in found)


def test_a_row_that_is_gone_shows_in_the_average() -> None:
    """The footer's average is over all rows, so that it tells of one that was deleted."""
    lines = [line for line in texts.table(peak=400.0, ranks=16) if " 1073741824 " not in line]
    assert any(
        "rows are missing" in text
        for text in contradictions(parse_nccl_tests("\n".join(lines)), collective="all_reduce")
    )


def test_an_elided_table_has_no_average_to_compare() -> None:
    """Where rows were cut out and an ellipsis left, the footer is not wrong."""
    lines = texts.table(peak=400.0, ranks=16)
    lines[10] = "..."
    log = parse_nccl_tests("\n".join(lines))
    assert recomputed_average(log) is None
    assert contradictions(log, collective="all_reduce") == ()


def test_wrong_elements_and_out_of_bounds_tests_are_both_told() -> None:
    """`#wrong` counts elements in a row, the footer counts failing tests."""
    found = wrong_data(_log(wrong={1 * GIB: "17"}))
    assert found[0].endswith("#wrong is 17")
    assert found[-1] == "out of bounds values: 2 tests failed"
    assert wrong_data(_log()) == ()


def test_relative_errors_of_old_tables_are_not_counts() -> None:
    """Before 2.13 the last column holds `5e-07`, which is no wrong element."""
    log = parse_nccl_tests((DATA / "allreduce-old-error.txt").read_text(encoding="utf-8"))
    assert wrong_data(log) == ()
    assert data_checked(log, collective="all_reduce")


def test_results_that_were_not_checked_are_not_right() -> None:
    """N/A anywhere, or a missing footer, means unknown; alltoall is never checked in place."""
    assert data_checked(_log(), collective="all_reduce")
    assert not data_checked(_log(wrong={64: "N/A"}), collective="all_reduce")
    assert not data_checked(_log(footer=False), collective="all_reduce")


def test_the_sizes_of_a_sweep_double_to_the_end() -> None:
    """`-b 8 -e 16G -f 2` is 32 sizes."""
    assert sweep_sizes(begin_bytes=8, end_bytes=16 * GIB) == texts.SIZES


def test_fewer_decimals_loosen_the_average_as_much_as_they_round() -> None:
    """A table whose bandwidths were printed without decimals still agrees with its footer."""
    lines = texts.table(peak=400.0, ranks=16)
    shrunk = [
        re.sub(r"  (\d+\.\d\d)(?=  +0( |$))", lambda m: f"  {float(m.group(1)):.0f}", line) for line in lines
    ]
    assert shrunk != lines
    found = contradictions(parse_nccl_tests("\n".join(shrunk)), collective="all_reduce")
    assert not [text for text in found if "rows are missing" in text]
