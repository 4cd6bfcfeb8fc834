"""A reduced bench of injected faults: nothing is let pass, and each run can be had again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bedplate.diagnosis.verdict import Verdict
from bedplate.sandbox.fleet.fault import KINDS
from tests.bench.faults.__main__ import main
from tests.bench.faults.draws import CLUSTERS, DCGM_LEVEL, DRAWN, NOT_DRAWN, PER_CLUSTER, THROTTLED, run_of
from tests.bench.faults.harness import Harness
from tests.bench.faults.log import read_log, write_log
from tests.bench.faults.score import LET_PASS, NAMED, Score
from tests.bench.faults.tally import tally

SEED = "tests"
PLAYED = 25
PROCESSES = 4


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """Clusters that are booted once."""
    with Harness() as made:
        yield made


def test_a_number_always_draws_the_same_run_and_every_kind_comes_up() -> None:
    """Runs are reproducible, and 100 of them in a row inject each kind of the fleet's table."""
    runs = [run_of(number, seed=SEED) for number in range(200)]
    assert [run.plan() for run in runs] == [run_of(number, seed=SEED).plan() for number in range(200)]
    drawn = {fault.cause for run in runs for fault in run.plan().faults}
    assert drawn == set(DRAWN) - {THROTTLED}
    levels = {f.detail["level"] for run in runs for f in run.plan().faults if f.cause == "dcgm-hardware"}
    assert levels == {DCGM_LEVEL}, "what a higher level alone shows is not looked for"
    assert [run for run in runs if run.throttled_after is not None]
    assert drawn | set(NOT_DRAWN) == set(KINDS)
    assert {(run.instance_type, run.size) for run in runs} == set(CLUSTERS)


@pytest.mark.slow
def test_played_runs_let_no_fault_pass(harness: Harness) -> None:
    """Of some runs on four nodes none passes over a fault, none crashes, and healthy p5en runs pass."""
    numbers = [n for n in range(20 * PER_CLUSTER) if (run_of(n, seed=SEED).size == 4)][:PLAYED]
    found = tally(harness.score(run_of(number, seed=SEED), how="played") for number in numbers)
    assert sum(found.runs.values()) == PLAYED
    assert not found.false_passes
    assert not found.crashes
    assert found.healthy_passed["p5en.48xlarge"] == found.healthy["p5en.48xlarge"] > 0


@pytest.mark.slow
def test_processes_and_played_programs_say_the_same(harness: Harness) -> None:
    """The same run through real processes and through functions has the same verdicts."""
    for number in (0, 1, 5, 9)[:PROCESSES]:
        run = run_of(number, seed=SEED)
        real, played = harness.run(run, how="processes")[1], harness.run(run, how="played")[1]
        told = [
            {(v.check_id, v.subject, v.outcome, v.cause, _measured(v)) for v in result.verdicts}
            for result in (real, played)
        ]
        assert told[0] == told[1]


def _measured(verdict: Verdict) -> object:
    """What was measured; the loopback's stand-in in sh rounds otherwise than the one in Python."""
    return None if verdict.check_id == "EFA-002" else verdict.measured


def test_a_pass_over_a_fault_is_counted_as_a_false_pass() -> None:
    """The bench can fail: a run that passes over a fault, and one that crashes, are both told."""
    let_pass = Score(1, "played", "t", 4, (("gpu-lost", LET_PASS),), passed=True)
    named = Score(2, "played", "t", 4, (("gpu-lost", NAMED),), passed=False)
    crash = Score(3, "played", "t", 4, (), passed=False, crash="KeyError: 1")
    found = tally([let_pass, named, crash])
    assert found.false_passes == [1]
    assert found.crashes == [3]
    assert found.to_json()["kinds"] == {"gpu-lost": {LET_PASS: 1, NAMED: 1}}
    assert [Score.from_json(each.to_json()) for each in (let_pass, crash)] == [let_pass, crash]


def test_scores_are_the_same_after_they_were_written(tmp_path: Path) -> None:
    """What a bench keeps, the next one takes up, each score with its version; half a line is none."""
    scores = [
        Score(1, "played", "t", 4, (("gpu-lost", NAMED),), passed=False, version="abc"),
        Score(2, "processes", "t", 5, (), passed=True, why=("x",)),
    ]
    packed, cut = tmp_path / "runs.jsonl.gz", tmp_path / "runs.jsonl"
    write_log(packed, scores)
    assert read_log(packed) == scores
    cut.write_text(json.dumps(scores[0].to_json()) + "\n" + json.dumps(scores[1].to_json())[:40])
    assert read_log(cut) == scores[:1]


def test_a_bench_ends_when_its_time_is_up_and_is_taken_up(tmp_path: Path) -> None:
    """No time at all is no run and no page that says more; a log that has all runs makes none again."""
    page, log = tmp_path / "page.md", tmp_path / "all.jsonl.gz"
    write_log(log, [Score(n, "played", "t", 4, (), passed=True, version="abc") for n in range(3)])
    words = ["--runs", "3", "--output", str(tmp_path / "out"), "--page", str(page)]
    for more, told in (
        (["--minutes", "0"], "0 runs are made so far"),
        (["--take-up", str(log)], ": 3 runs, 0 of"),
    ):
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 0, done.output
        assert told in page.read_text()
    assert "Made by version `abc`" in page.read_text()
    assert len(read_log(tmp_path / "page.runs.jsonl.gz")) == 3
