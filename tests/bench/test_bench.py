"""The bench measures what it says, and a command that fails is no number."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from tests.bench import __main__ as bench
from tests.bench.questions import Answer, Question, questions
from tests.bench.timing import BenchFailedError, Command, Times, interleaved


def _sleep(seconds: float) -> Command:
    return Command(f"sleep {seconds}", (sys.executable, "-c", f"import time; time.sleep({seconds})"), {})


def test_runs_are_interleaved_and_the_first_round_is_not_counted() -> None:
    """Commands take turns, a warm-up round comes first, and the times are those of the commands."""
    said: list[str] = []
    slow, quick = _sleep(0.3), _sleep(0.0)
    times = interleaved([slow, quick], runs=2, say=said.append)
    assert [line.split("  ")[1] for line in said] == [slow.name, quick.name] * 3
    assert len(times[slow.name].seconds) == 2
    assert times[slow.name].median_s > 0.3
    assert times[quick.name].median_s < times[slow.name].median_s
    assert all(each > 0 for each in times[slow.name].processor_seconds)
    assert min(times[slow.name].processor_seconds) < 0.3, "sleeping takes no processor"


def test_a_command_that_fails_ends_the_bench() -> None:
    """The time of a command that failed is not taken for a measurement."""
    with pytest.raises(BenchFailedError, match="ended with 3"):
        interleaved([Command("broken", (sys.executable, "-c", "raise SystemExit(3)"), {})], runs=1, say=print)


def test_ratio_and_aim_come_from_the_medians() -> None:
    """The ratio is median against median, and an aim is met only at or below it."""
    ours, yard = Times("ours", (1.0, 9.0, 2.6)), Times("yardstick", (2.0, 2.0, 2.0))
    command = _sleep(0)
    answer = Answer(Question("q", command, command, aim_ratio=1.3), ours, yard)
    assert answer.ratio == pytest.approx(1.3)
    assert answer.aim_met is True
    assert Answer(Question("q", command, command, aim_ratio=1.29), ours, yard).aim_met is False
    assert Answer(Question("q", command, command, aim_s=2.5), ours, yard).aim_met is False
    assert Answer(Question("q", command, command), ours, yard).aim_met is None


def test_both_apps_of_a_synth_run_under_the_same_conditions() -> None:
    """Ours and the one-bucket app get the same flags, Node and validation, once with it on, once off."""
    synths = [question for question in questions() if "validation" in question.title]
    assert [question.ours.env["CDK_VALIDATION"] for question in synths] == ["true", "false"] * 2
    assert all(question.ours.env == question.yardstick.env for question in synths)


@pytest.mark.slow
def test_the_bench_prints_json() -> None:
    """One real question, run once, gives its times, its ratio and the machine."""
    done = CliRunner().invoke(bench.main, ["--runs", "1", "--json", "--only", "--help"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["answers"][0]["ours_s"][0] > 0
    assert said["machine"]["processor"]
