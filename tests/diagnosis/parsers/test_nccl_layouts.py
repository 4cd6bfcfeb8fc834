"""The layouts of nccl-tests by version, each row written as that version's sources print it."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.nccl_arithmetic import contradictions, rank_interval, recomputed_average
from bedplate.diagnosis.parsers.nccl_tests import MOST_ROWS, parse_nccl_tests
from tests.diagnosis import texts

MIB = 1024 * 1024
FOOTER = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 87.5\n"


def _halves(busbw: float, *, ranks: int = 8, last: str, time_scale: float = 1.0, extra: str = "") -> str:
    algbw = busbw / (2 * (ranks - 1) / ranks)
    time = MIB / algbw / 1e3 * time_scale
    return 2 * f"  {time:7.3f}  {algbw:6.2f}  {busbw:6.2f}  {last}{extra}"


TITLES = 2 * "  time   algbw   busbw {0}"
LAYOUTS = {
    "1.0 all_reduce": (
        "#      bytes             N    type      op" + 2 * "     time  algbw  busbw      res",
        f"     1048576        262144   float     sum{_halves(87.5, last='0e+00', time_scale=1e-3)}",
        "sum",
        None,
    ),
    "2.0 all_reduce": (
        "#       size         count    type   redop" + TITLES.format("error"),
        f"     1048576        262144   float     sum{_halves(87.5, last='5e-07')}",
        "sum",
        None,
    ),
    "2.0 reduce": (
        "#       size         count    type   redop    root" + TITLES.format("error"),
        f"     1048576        262144   float     sum       3{_halves(87.5, last='0e+00')}",
        "sum",
        3,
    ),
    "2.11 sendrecv": (
        "#       size         count      type" + TITLES.format("error"),
        f"     1048576        262144     float{_halves(87.5, last='N/A')}",
        "",
        None,
    ),
    "2.13": (
        "#       size         count      type   redop    root" + TITLES.format("#wrong"),
        f"     1048576        262144     float     sum      -1{_halves(87.5, last='     0')}",
        "sum",
        -1,
    ),
    "2.17.6 with -S": (
        "#       size         count      type   redop    root" + TITLES.format("#wrong") + "  timestamp",
        f"     1048576        262144     float    none      -1{_halves(87.5, last='0')}  2026-11-29 10:00:00",
        "none",
        -1,
    ),
    "2.19 with -I": (
        "#       size         count      type   redop    root"
        + 2 * "  time   algbw   busbw #wrong   i_min   i_max   i_p99   i_cv%",
        "     1048576        262144     float     sum      -1"
        + _halves(87.5, last="0", extra="    1.10    9.90    9.80    3.25"),
        "sum",
        -1,
    ),
    "DCGM's mock": (
        "#       size         count      type   redop    root" + TITLES.format("#wrong") + "   #iters",
        f"     1048576        262144     float     sum      -1{_halves(87.5, last='0')}      20",
        "sum",
        -1,
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_gives_the_same_numbers(name: str) -> None:
    """Title by title: both placements, the operation and the root, whatever columns stand around them."""
    title, row, redop, root = LAYOUTS[name]
    log = parse_nccl_tests(f"{title}\n{row}\n{FOOTER}")
    (read,) = log.rows
    assert (read.size_bytes, read.count, read.dtype, read.redop, read.root) == (
        MIB,
        262144,
        "float",
        redop,
        root,
    )
    assert (read.out_of_place.busbw.value, read.in_place.busbw.value) == (87.5, 87.5)
    assert read.out_of_place.time_us.value == pytest.approx(20.97, abs=0.6)
    assert contradictions(log, collective="all_reduce") == ()
    interval = rank_interval(log, collective="all_reduce")
    assert interval is not None
    assert interval.allows(8)
    assert log.counts_wrong is ("#wrong" in title)


def test_the_second_placement_of_per_iteration_tables_is_not_the_statistics() -> None:
    """With -I four columns stand between the placements; a slow second one is seen behind them."""
    title, row, _, _ = LAYOUTS["2.19 with -I"]
    slow = row[: row.rindex("87.50")] + "10.00" + row[row.rindex("87.50") + 5 :]
    (read,) = parse_nccl_tests(f"{title}\n{slow}\n{FOOTER}").rows
    assert (read.out_of_place.busbw.value, read.in_place.busbw.value) == (87.5, 10.0)


def test_a_row_of_statistics_that_was_cut_is_damaged() -> None:
    """Eight numbers are enough for a plain row, and half of one with statistics."""
    title, row, _, _ = LAYOUTS["2.19 with -I"]
    log = parse_nccl_tests(f"{title}\n{' '.join(row.split()[:14])}\n{FOOTER}")
    assert (log.rows, len(log.damaged)) == ((), 1)


def test_the_broadcast_of_the_first_version_is_told_as_damaged() -> None:
    """It has one placement, and a record has two."""
    title = "#      bytes             N    type    root     time  algbw  busbw      res"
    log = parse_nccl_tests(
        f"{title}\n     1048576        262144   float       0    0.021  50.00  50.00    0e+00\n"
    )
    assert (log.rows, len(log.damaged), log.runs) == ((), 1, 1)


@pytest.mark.parametrize(
    "lines",
    [
        "# GPU memory usage     : Total 3.5 GB\n",
        "\n",
        "# error: NET/OFI something benign\n",
        "# Writing JSON output to /tmp/x.json\n",
    ],
)
def test_lines_around_the_footer_do_no_harm(lines: str) -> None:
    """A memory report before it, an error line or a blank one behind it (2.17.7 and later)."""
    text = texts.in_node_log()
    at = text.index("# Out of bounds")
    log = parse_nccl_tests(text[:at] + lines + text[at:] + lines)
    assert (log.complete, log.runs, len(log.rows), log.damaged) == (True, 1, 32, ())


def test_interleaved_runs_are_not_one() -> None:
    """Two processes of a binary without MPI print into one log: two titles, two rank 0, two footers."""
    lines = texts.in_node_log().splitlines()
    log = parse_nccl_tests("\n".join(line for pair in zip(lines, lines, strict=True) for line in pair))
    assert log.runs == 2


def test_repeated_sizes_are_rows_of_their_own() -> None:
    """With -N or -o all a size comes back; nobody takes one of them for the other."""
    text = texts.in_node_log(sizes=(1024, 1024, 2048))
    log = parse_nccl_tests(text)
    assert [row.size_bytes for row in log.rows] == [1024, 1024, 2048]
    assert recomputed_average(log) is not None


def test_more_rows_than_any_sweep_has_are_damage() -> None:
    """A log that repeats a row for ever neither fills the memory nor is trusted."""
    title, row, _, _ = LAYOUTS["2.13"]
    log = parse_nccl_tests("\n".join([title, *[row] * (MOST_ROWS + 3)]))
    assert (len(log.rows), len(log.damaged)) == (MOST_ROWS, 3)
