"""Reading tables of nccl-tests in every layout and through every launcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts

DATA = Path(__file__).resolve().parents[1] / "data"


def _data(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def _prefixed(text: str, prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "0: ",
        "[1,0]<stdout>:",
        "   [1,0]<stdout>:",
        "10.0.0.7: ",
        "launcher-abc12: ",
        "2026-11-29T10:00:00.123Z ",
    ],
)
def test_labels_of_launchers_do_no_harm(prefix: str) -> None:
    """Whatever a launcher puts before each line, the same rows, footers and marks are read."""
    plain = parse_nccl_tests(texts.in_node_log())
    log = parse_nccl_tests(_prefixed(texts.in_node_log(), prefix))
    assert [row.size_bytes for row in log.rows] == list(texts.SIZES)
    assert [row.in_place for row in log.rows] == [row.in_place for row in plain.rows]
    assert (log.complete, log.runs, log.damaged) == (True, 1, ())
    assert log.started == "all_reduce_perf"


def test_colours_carriage_returns_and_trailing_blanks_are_no_part_of_a_table() -> None:
    """ANSI colours, CRLF and hundreds of blanks behind a line change nothing."""
    text = "".join(f"\x1b[32m{line}\x1b[0m{' ' * 300}\r\n" for line in texts.in_node_log().splitlines())
    assert parse_nccl_tests(text).rows == tuple(
        # The text of a row is kept without them too.
        parse_nccl_tests(texts.in_node_log()).rows
    )


@pytest.mark.parametrize(
    ("name", "redop", "root"),
    [
        ("alltoall-old-empty-redop.txt", "", None),
        ("allgather-old-no-redop.txt", "", None),
        ("broadcast-old-root.txt", "", 0),
        ("allreduce-old-error.txt", "sum", None),
    ],
)
def test_old_layouts_of_11_and_12_fields_are_read_by_their_titles(
    name: str, redop: str, root: int | None
) -> None:
    """Before 2.13 a collective prints redop, root, nothing, or a title over an empty field."""
    log = parse_nccl_tests(_data(name))
    assert len(log.rows) == 5
    assert log.counts_wrong is False
    assert {(row.redop, row.root) for row in log.rows} == {(redop, root)}
    assert log.rows[-1].out_of_place.busbw.value == pytest.approx(200.65, abs=0.01)
    assert log.rows[-1].in_place.busbw.value == pytest.approx(202.65, abs=0.01)


def test_zero_size_rows_are_rows() -> None:
    """A size that was rounded down to nothing is kept, with its zeros."""
    log = parse_nccl_tests(_data("alltoall-old-empty-redop.txt"))
    assert [row.size_bytes for row in log.rows][:2] == [0, 0]


def test_not_checked_is_not_zero_wrong() -> None:
    """N/A in the last column is read as unknown."""
    log = parse_nccl_tests(_data("allgather-old-no-redop.txt"))
    assert {row.in_place.wrong for row in log.rows} == {None}


def test_shrunk_numbers_are_read_with_their_precision() -> None:
    """From 2.17.3 on numbers shrink to `1e+07` and lose decimals; the rounding grows with that."""
    line = texts.row(1024, 100.0, ranks=8, wrong="1e+07")
    header = "\n".join(texts.table(peak=1.0, ranks=8, sizes=(), footer=False))
    log = parse_nccl_tests(f"{header}\n{line.replace('100.00', '   100')}\n")
    half = log.rows[0].out_of_place
    assert half.wrong == 1e7
    assert (half.busbw.value, half.busbw.half_unit) == (100.0, 0.5)


def test_columns_behind_the_known_ones_are_passed_over() -> None:
    """`#iters`, time stamps and per-iteration statistics may follow a row."""
    lines = [
        line + "      20  2026-11-29 10:00:00"
        if "float" in line
        else line + "  #iters"
        if "busbw" in line
        else line
        for line in texts.in_node_log().splitlines()
    ]
    assert len(parse_nccl_tests("\n".join(lines)).rows) == len(texts.SIZES)


def test_nccl_messages_between_and_behind_rows_do_no_harm() -> None:
    """INFO lines stand between rows, and one is glued to the end of a row."""
    info = "ip-10-1-0-11:4100:4200 [0] NCCL INFO Connected all rings"
    lines: list[str] = []
    for number, line in enumerate(texts.in_node_log().splitlines()):
        lines += [line + (" " + info if "float" in line and number % 2 else ""), info]
    log = parse_nccl_tests("\n".join(lines))
    assert (len(log.rows), log.damaged) == (len(texts.SIZES), ())


def test_a_row_that_was_broken_is_told_and_not_guessed() -> None:
    """A row cut in its middle is damage, not a row."""
    lines = texts.in_node_log().splitlines()
    at = next(index for index, line in enumerate(lines) if "17179869184  " in line)
    lines[at] = lines[at][:70]
    log = parse_nccl_tests("\n".join(lines))
    assert len(log.rows) == len(texts.SIZES) - 1
    assert len(log.damaged) == 1


def test_two_runs_in_one_log_are_told() -> None:
    """Several tables (nccl-tests without MPI: each rank prints its own) are counted as runs."""
    assert parse_nccl_tests(texts.in_node_log() * 2).runs == 2


def test_an_ellipsis_says_that_rows_were_cut_out() -> None:
    """A bare `...` line, also behind a label, marks the table as elided."""
    lines = texts.in_node_log().splitlines()
    lines[20] = "[1,0]<stdout>:  ..."
    assert parse_nccl_tests("\n".join(lines)).elided
    assert not parse_nccl_tests(texts.in_node_log()).elided


def test_the_log_of_a_killed_run_is_not_complete() -> None:
    """Without footers, or without the closing line that 2.16 and later promise, a log is partial."""
    lines = texts.in_node_log().splitlines()
    assert not parse_nccl_tests("\n".join(lines[:-4])).complete
    assert not parse_nccl_tests("\n".join(lines[:-1])).complete
    assert parse_nccl_tests("\n".join(lines[1:-1])).complete


def test_a_launcher_that_placed_nothing_is_read_as_launch_failure() -> None:
    """Open MPI without slots: no table, and a failure of the kind `launch`."""
    log = parse_nccl_tests(_data("openmpi-no-slots.txt"))
    assert log.rows == ()
    assert [failure.kind for failure in log.failures] == ["launch"]


def test_a_task_that_crashed_is_read_as_crash() -> None:
    """CUDA's, nccl-tests' and Slurm's lines of one crash are all found."""
    log = parse_nccl_tests(_data("srun-task-failed.txt"))
    assert {failure.kind for failure in log.failures} == {"crash"}
    assert len(log.failures) == 4


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("srun: error: Unable to allocate resources: Requested nodes are busy", "launch"),
        (
            "srun: error: Unable to create step for job 5: Invalid generic resource (gres) specification",
            "launch",
        ),
        (
            "slurmstepd: error: *** STEP 7.0 ON gpu-1 CANCELLED AT 2026-11-29T10:00:00 DUE TO TIME LIMIT ***",
            "timeout",
        ),
        ("ip-10-1-0-11: Test timeout (30s)", "timeout"),
        ("# Reducing maxBytes to 8589934592 due to memory limitation", "usage"),
        ("mpirun detected that one or more processes exited with non-zero status", "crash"),
    ],
)
def test_each_kind_of_failure_is_told_from_the_others(line: str, kind: str) -> None:
    """Known strings of launchers and tools have the kind that decides what to do."""
    assert [failure.kind for failure in parse_nccl_tests(line).failures] == [kind]


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "# nThread 1", "0: # Using devices"])
def test_a_text_without_table_and_failure_is_refused(text: str) -> None:
    """What is no log of nccl-tests raises ParseError, which names the tool."""
    with pytest.raises(ParseError, match="nccl-tests"):
        parse_nccl_tests(text)


def test_the_configuration_and_ranks_are_read() -> None:
    """Sizes asked for, validation, and each rank with host and device."""
    log = parse_nccl_tests(texts.between_log())
    assert log.config is not None
    assert (log.config.min_bytes, log.config.max_bytes, log.config.validation) == (8, 17179869184, 1)
    assert len(log.ranks) == 16
    assert {rank.host for rank in log.ranks} == {"ip-10-1-0-11", "ip-10-1-0-12"}


def test_a_working_directory_that_is_not_there_is_no_failure() -> None:
    """slurmstepd says so where a job starts in /tmp instead, as jobs of the SSM agent do."""
    line = "slurmstepd: error: couldn't chdir to `/var/snap/x': No such file or directory: going to /tmp"
    assert parse_nccl_tests(texts.in_node_log() + line + "\n").failures == ()
