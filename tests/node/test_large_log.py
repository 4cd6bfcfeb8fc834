"""A collective's log may be longer than what is handed on: it is thinned, and beyond its bounds no pass."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.parsers.collective_log import read_collective_log
from bedplate.diagnosis.parsers.left_out import THINNED
from bedplate.diagnosis.parsers.lines import read_pieces, stream_lines
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type
from bedplate.node import large_log
from bedplate.node.large_log import (
    LEAST_ROOM_BYTES,
    LOG_BYTES_A_RANK,
    THINNED_BYTES_A_SECOND,
    log_folder,
    read_thinned,
)
from bedplate.node.process import OUTPUT_LIMIT_BYTES, Limits, ToolRun, run_tool
from bedplate.node.run_jobs import Job, job_limits, thinning_seconds
from tests.bench.timing import ROOT
from tests.diagnosis import texts

LINE = "1: h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is long from 10 kB on."""
    monkeypatch.setattr("bedplate.node.process.THIN_FROM_BYTES", 10_000)


def printing(times: int, limits: Limits, *, last: str = "") -> ToolRun:
    """The run of a tool that prints one connection so many times."""
    code = f"import time\nfor _ in range({times}): print({LINE!r})\n{last}"
    return run_tool(argv=[sys.executable, "-c", code], limits=limits)


def test_a_long_log_is_handed_on_thinned() -> None:
    """It counts as whole: what is left out is told, and says nothing new."""
    run = printing(10_000, Limits(20, output_bytes=1000, log_bytes=10_000_000))
    assert (run.rc, run.truncated, run.problem) == (0, False, "")
    assert run.stdout.count(LINE) == 2
    assert "way=send gdrdma=yes count=9998" in run.stdout
    assert run.stdout.splitlines()[-1].startswith(THINNED)


def test_a_short_log_and_every_other_output_stay_whole() -> None:
    """Ordinary clusters keep all evidence, and an answer is never thinned."""
    for run in (printing(100, Limits(20, log_bytes=10_000_000)), printing(1000, Limits(20))):
        assert set(run.stdout.splitlines()) == {LINE}
        assert run.rc == 0


def test_a_log_beyond_its_own_limit_is_stopped_and_marked() -> None:
    """However little of it is left once it is thinned."""
    limits = Limits(20, output_bytes=1000, log_bytes=50_000)
    run = printing(1000, limits, last="time.sleep(60)")
    assert (run.rc, run.truncated, run.timed_out) == (None, True, False)
    assert run.stderr.endswith("bedplate: printed more than 50000 bytes\n")
    assert printing(1000, limits).truncated


def test_a_log_that_cannot_be_thinned_enough_is_cut_and_marked() -> None:
    """The tool ended well, and is no pass all the same."""
    code = "for n in range(1000): print('# Rank', n, 'tells something')"
    run = run_tool(
        argv=[sys.executable, "-c", code], limits=Limits(20, output_bytes=1000, log_bytes=10_000_000)
    )
    assert (run.rc, run.truncated, len(run.stdout)) == (None, True, 1000)
    assert "printed more than 1000 bytes" in run.stderr


def test_a_tool_that_would_fill_the_disk_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where its log is long; the reason is the last line, and there is no status."""
    monkeypatch.setattr("bedplate.node.large_log.LEAST_ROOM_BYTES", 1 << 62)
    limits = Limits(20, log_bytes=10_000_000)
    run = printing(1000, limits, last="time.sleep(60)")
    assert (run.rc, run.timed_out) == (None, False)
    assert run.seconds < 15
    assert "bedplate: the disk under the log has less than" in run.stderr
    assert printing(10, limits).rc == 0


def test_a_long_log_lies_on_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/tmp may be memory; TMPDIR is obeyed, and one that is not there is no reason to fail."""
    monkeypatch.delenv("TMPDIR", raising=False)
    assert log_folder() in {"/var/tmp", None}
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert log_folder() == str(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    assert log_folder() is None


def test_the_limit_grows_with_the_ranks_of_a_collective() -> None:
    """Never below that of every tool; an exercise keeps that one."""

    def limits(kind: str, nodes: int) -> Limits:
        names = tuple(f"gpu-{n}" for n in range(nodes))
        return job_limits(Job(job_id="0", kind=kind, nodes=names, deadline_seconds=9.0))

    assert limits("collective", 2) == Limits(9.0, log_bytes=OUTPUT_LIMIT_BYTES)
    assert limits("collective", 4096) == Limits(9.0, log_bytes=4096 * 8 * LOG_BYTES_A_RANK)
    assert limits("exercise", 1) == Limits(9.0)
    assert LEAST_ROOM_BYTES > large_log.THIN_FROM_BYTES


def test_a_command_waits_until_long_logs_are_thinned() -> None:
    """Added to the deadline of the jobs; those of ordinary clusters, and exercises, add nothing."""

    def seconds(kind: str, nodes: int) -> float:
        names = tuple(f"gpu-{n}" for n in range(nodes))
        return thinning_seconds(Job(job_id="0", kind=kind, nodes=names, deadline_seconds=9.0))

    assert seconds("collective", 16) == seconds("exercise", 1) == 0
    assert 0.5 < seconds("collective", 17) < 1
    assert seconds("collective", 4096) == 4096 * 8 * LOG_BYTES_A_RANK / THINNED_BYTES_A_SECOND


@pytest.mark.parametrize(
    "note", ["printed more than 4294967296 bytes", "the disk under the log has less than 1024 MiB left"]
)
def test_the_verdict_says_that_the_log_was_too_long(note: str) -> None:
    """It is an error with that reason, though the table is whole."""
    judged = judge_collective(
        log=texts.between_log() + f"\nbedplate: {note}\n",
        rc=None,
        timed_out=False,
        nodes=["a", "b"],
        instance_type=instance_type("p5en.48xlarge"),
    )
    assert judged.bandwidth.outcome is Outcome.ERROR
    assert f"the run was stopped: bedplate: {note}" in judged.bandwidth.summary
    assert judged.problem == f"the run was stopped: bedplate: {note}"


@given(data=st.binary(max_size=400), most=st.integers(0, 300))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_handed_on(data: bytes, most: int) -> None:
    """What is no text is replaced, what is too long is cut and told."""
    text, cut = read_thinned(io.BytesIO(data), most_bytes=most)
    whole = data.decode("utf-8", errors="replace")
    assert cut == (len(whole.encode("utf-8")) > most)
    assert text == whole or cut


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_log_of_the_largest_cluster_fits(tmp_path: Path) -> None:
    """SIMULATED: 4,096 nodes of 8 ranks; all ranks are in what is kept, and memory grows with hosts alone."""
    path = tmp_path / "kept.log"
    told = {}
    for nodes in (512, 4096):
        words = [sys.executable, "-m", "tests.node.large_cluster_log", str(nodes), str(path)]
        ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
        told[nodes] = {**json.loads(ran.stdout), "kept": path.stat().st_size}
    assert told[4096]["raw_bytes"] > 4 * OUTPUT_LIMIT_BYTES
    assert told[4096]["kept"] < OUTPUT_LIMIT_BYTES / 4
    assert told[4096]["kept"] < 8.4 * told[512]["kept"]
    assert told[4096]["peak_mib"] < 64
    with path.open("rb") as file:
        info = read_collective_log(stream_lines(read_pieces(file))).info
    assert info is not None
    assert {comm.rank for comm in info.comms} == set(range(4096 * 8))
    assert len(info.providers) == len(info.networks) == 4096
    assert {each.count for each in info.net_channels} == {8 * 16}
