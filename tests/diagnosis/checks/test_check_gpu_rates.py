"""DCG-005 and DCG-006: rates of computing and of memory."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.checks import gpu_matrix_rate, gpu_memory_rate
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.nvbandwidth import BandwidthLog, parse_nvbandwidth
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers, gpu_texts, texts

ABSENT: Reading[BandwidthLog] = Reading(None, "`nvbandwidth -j -t` did not run or was killed: No such file")


def _matrix(text: str, kind: InstanceType, problem: str = "") -> Verdict:
    reading = Reading(parse_dcgm_diag(text), problem)
    return gpu_matrix_rate.check(node="i-1", diag=reading, instance_type=kind)


def _memory(
    text: str, kind: InstanceType, problem: str = "", copies: Reading[BandwidthLog] | None = None
) -> Verdict:
    told = Reading(parse_nvbandwidth(gpu_texts.copies())) if copies is None else copies
    reading = Reading(parse_dcgm_diag(text), problem)
    return gpu_memory_rate.check(node="i-1", diag=reading, copies=told, instance_type=kind)


def test_gpus_at_their_rates_pass_and_tell_the_slowest(p5en: InstanceType) -> None:
    """The lowest of all, beside the floor and its source."""
    verdict = _matrix(gpu_texts.throughput(stress={4: 37_100.0}), p5en)
    assert (verdict.outcome, verdict.measured, verdict.expected) == (Outcome.PASS, 37_100.0, 37_500)
    assert verdict.summary == (
        "All 8 GPUs hold 37100 GFLOPS, within DCGM's 0.95 of 37500, 55% of the sheet's peak"
    )
    assert "diag-skus" in verdict.source
    memory = _memory(gpu_texts.throughput(), p5en)
    assert (memory.outcome, memory.measured) == (Outcome.PASS, "at least 2333")
    assert "49% of its peak" in memory.summary


@pytest.mark.parametrize(
    ("slowest", "outcome", "words"),
    [
        (37_600.0, Outcome.PASS, "All 8 GPUs reach 37600 GFLOPS, asked for 37500"),
        (37_500.0, Outcome.PASS, "All 8 GPUs reach 37500 GFLOPS, asked for 37500"),
        (37_499.0, Outcome.PASS, "All 8 GPUs hold 37499 GFLOPS, within DCGM's 0.95 of 37500"),
        (35_625.0, Outcome.PASS, "All 8 GPUs hold 35625 GFLOPS, within DCGM's 0.95 of 37500"),
        (
            35_624.0,
            Outcome.PASS,
            "DCGM lets all 8 GPUs pass, asked for 37500 GFLOPS; told of 8, the slowest 35624",
        ),
        (
            17_600.0,
            Outcome.PASS,
            "DCGM lets all 8 GPUs pass, asked for 37500 GFLOPS; told of 8, the slowest 17600",
        ),
        (3_749.0, Outcome.ERROR, "at 3749 GFLOPS, asked for 37500"),
        (900.0, Outcome.ERROR, "at 900 GFLOPS, asked for 37500"),
        (0.0, Outcome.ERROR, "at 0 GFLOPS, asked for 37500"),
    ],
)
def test_no_rate_is_claimed_above_what_dcgm_tells(
    slowest: float, outcome: Outcome, words: str, p5en: InstanceType
) -> None:
    """DCGM's mean has the copies in it, which its verdict forgives; what they cannot explain denies it."""
    verdict = _matrix(gpu_texts.throughput(stress=dict.fromkeys(range(8), slowest)), p5en)
    assert (verdict.outcome, verdict.measured) == (outcome, slowest)
    assert words in verdict.summary
    alone = [each.text for each in verdict.findings if "its verdict alone" in each.text]
    assert bool(alone) is (outcome is Outcome.PASS and slowest < 35_625)


@pytest.mark.parametrize(("rate", "outcome"), [(18_700.0, Outcome.ERROR), (18_730.0, Outcome.PASS)])
def test_a_gpu_told_at_half_of_its_neighbours_is_no_pass(
    rate: float, outcome: Outcome, p5en: InstanceType
) -> None:
    """They make the same copies at the same time: DCGM's pass of the one is denied by the others."""
    verdict = _matrix(gpu_texts.throughput(stress={6: rate}), p5en)
    assert verdict.outcome is outcome
    assert ("DCGM lets GPU 6 pass" in verdict.summary) is (outcome is Outcome.ERROR)


def test_a_fail_is_told_before_figures_that_deny_a_pass(p5en: InstanceType) -> None:
    """What DCGM fails stays a fail, and so does a GPU behind its neighbours."""
    error = {("targeted_stress", 3): (50, gpu_texts.STRESS_LEVEL)}
    text = gpu_texts.throughput(stress=dict.fromkeys(range(8), 900.0), errors=error)
    assert _matrix(text, p5en, "ended with status 226").cause == "gpu-slow"
    text = gpu_texts.throughput(stress=dict.fromkeys(range(8), 900.0), mixed={3: 400.0})
    assert _matrix(text, p5en).cause == "gpu-slow"


@pytest.mark.parametrize(
    ("test", "error"),
    [("targeted_stress", (50, gpu_texts.STRESS_LEVEL)), ("diagnostic", (110, gpu_texts.GFLOPS))],
)
def test_a_gpu_below_dcgms_threshold_is_slow(test: str, error: tuple[int, str], p5en: InstanceType) -> None:
    """The absolute rate, and the rate beside its neighbours'."""
    text = gpu_texts.throughput(errors={(test, 3): error})
    verdict = _matrix(text, p5en, "ended with status 226")
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "gpu-slow")
    assert "GPU 3" in verdict.summary
    assert _memory(text, p5en).outcome is Outcome.PASS


def test_a_straggler_is_slow_though_dcgm_lets_it_pass(p5en: InstanceType) -> None:
    """Nine tenths of the neighbours' median are asked for, whatever the tool makes of it."""
    assert _matrix(gpu_texts.throughput(mixed={3: 760.0}), p5en).cause == "gpu-slow"
    assert _matrix(gpu_texts.throughput(mixed={3: 780.0}), p5en).outcome is Outcome.PASS


def test_slow_memory_is_named_with_its_rate(p5en: InstanceType) -> None:
    """DCGM's message has the figure, which it does not tell of a pass."""
    text = gpu_texts.throughput(errors={("memory_bandwidth", 3): (62, gpu_texts.MEMORY)})
    verdict = _memory(text, p5en, "ended with status 226")
    assert (verdict.outcome, verdict.cause, verdict.measured) == (Outcome.FAIL, "gpu-memory-slow", 1500.0)
    assert _matrix(text, p5en).outcome is Outcome.PASS


def test_a_copy_slower_than_the_neighbours_is_slow_memory(p5en: InstanceType) -> None:
    """No floor was published for it."""
    slow = Reading(parse_nvbandwidth(gpu_texts.copies(rates={6: 1000.0})))
    verdict = _memory(gpu_texts.throughput(), p5en, copies=slow)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "gpu-memory-slow")
    assert "GPU 6" in verdict.summary


@pytest.mark.parametrize(
    ("kind", "rate", "outcome"),
    [
        ("p5en.48xlarge", 0.0, Outcome.ERROR),
        ("p5en.48xlarge", 50.0, Outcome.ERROR),
        ("p5en.48xlarge", 479.9, Outcome.ERROR),
        ("p5en.48xlarge", 480.0, Outcome.PASS),
        ("p5en.48xlarge", 1116.3, Outcome.PASS),
        ("p5.48xlarge", 334.9, Outcome.ERROR),
        ("p5.48xlarge", 1519.07, Outcome.PASS),
        ("p5.4xlarge", 50.0, Outcome.ERROR),
        ("p5.4xlarge", 1519.07, Outcome.PASS),
        ("p6-b200.48xlarge", 799.9, Outcome.ERROR),
        ("p6-b200.48xlarge", 1432.5, Outcome.PASS),
    ],
)
def test_copies_that_are_alike_and_far_too_slow_are_no_pass(kind: str, rate: float, outcome: Outcome) -> None:
    """A tenth of the memory's peak is the bound, for a GPU without neighbours too."""
    row = instance_type(kind)
    copies = Reading(parse_nvbandwidth(gpu_texts.copies(gpus=row.gpus, rates=dict.fromkeys(range(8), rate))))
    verdict = _memory(gpu_texts.throughput(gpus=row.gpus), row, copies=copies)
    assert verdict.outcome is outcome
    assert ("below a tenth of the memory's peak" in verdict.summary) is (outcome is Outcome.ERROR)


def test_one_copy_that_is_far_too_slow_spoils_an_answer_of_some_gpus(p5en: InstanceType) -> None:
    """What was told of them counts, though nothing is said of the others."""
    rates: dict[int, float | str] = {0: 50.0, **dict.fromkeys(range(1, 8), "N/A")}
    copies = Reading(parse_nvbandwidth(gpu_texts.copies(rates=rates)))
    assert _memory(gpu_texts.throughput(), p5en, copies=copies).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "copies",
    [
        ABSENT,
        Reading(parse_nvbandwidth(gpu_texts.copies(rates={6: 1000.0})), "ended with status 1"),
        Reading(parse_nvbandwidth(gpu_texts.copies(status="Waived"))),
        Reading(parse_nvbandwidth(gpu_texts.copies(gpus=7))),
        Reading(parse_nvbandwidth(gpu_texts.copies(rates={6: "N/A"}))),
    ],
)
def test_without_copies_dcgms_own_test_decides(copies: Reading[BandwidthLog], p5en: InstanceType) -> None:
    """Absent, ended badly, waived or not of all GPUs: a finding says that nothing was compared."""
    verdict = _memory(gpu_texts.throughput(), p5en, copies=copies)
    assert verdict.outcome is Outcome.PASS
    assert "not compared" in verdict.findings[-1].text


@pytest.mark.parametrize(
    "run",
    [
        gpu_texts.copies(gpus=7),
        gpu_texts.copies(rates={6: "N/A"}),
        gpu_texts.copies()[:200],
        "",
        texts.tool(gpu_tools.NVBANDWIDTH, gpu_texts.copies(), rc=None, timed_out=True),
        texts.tool(gpu_tools.NVBANDWIDTH, gpu_texts.copies(), rc=1),
        texts.tool(gpu_tools.NVBANDWIDTH, "", rc=None),
        None,
    ],
)
def test_an_answer_of_nvbandwidth_that_is_not_whole_is_no_pass(run: object, p5en: InstanceType) -> None:
    """It ran, or nothing says that it is not there: the slow GPU might be what its answer lacks."""
    assert _memory_of({gpu_tools.NVBANDWIDTH: run}, p5en).outcome is Outcome.ERROR


def test_a_node_without_nvbandwidth_is_judged_by_dcgm_alone(p5en: InstanceType) -> None:
    """As before DCGM 4; a finding says that nothing was compared."""
    stderr = "bedplate: could not be started: [Errno 2] No such file or directory: 'nvbandwidth'\n"
    run = {**texts.tool(gpu_tools.NVBANDWIDTH, "", rc=None), "stderr": stderr}
    verdict = _memory_of({gpu_tools.NVBANDWIDTH: run}, p5en)
    assert verdict.outcome is Outcome.PASS
    assert "not compared" in verdict.findings[-1].text


def _memory_of(runs: dict[tuple[str, ...], object], kind: InstanceType) -> Verdict:
    answer = answers.exercise_answer(runs=runs)
    expected = NodeExpectation(throughput=True)
    facts = NodeFacts(node="i-1", answer=answer, instance_type=kind, expected=expected)
    assert gpu_memory_rate.CHECK.judge is not None
    return gpu_memory_rate.CHECK.judge(facts)


@pytest.mark.parametrize("test", ["targeted_stress", "diagnostic", "memory_bandwidth"])
def test_a_test_that_was_skipped_or_is_missing_is_no_pass(test: str, p5en: InstanceType) -> None:
    """On one GPU or on all; a run that ended badly proves nothing either."""
    ask = _memory if test == "memory_bandwidth" else _matrix
    assert ask(gpu_texts.throughput(statuses={(test, 2): "Skip"}), p5en).outcome is Outcome.NOT_TESTED
    assert ask(gpu_texts.throughput(without=test), p5en).outcome is Outcome.ERROR
    assert ask(gpu_texts.throughput(gpus=7), p5en).outcome is Outcome.ERROR
    assert ask(gpu_texts.throughput(), p5en, "ended with status 205").outcome is Outcome.ERROR


def test_a_failure_for_another_reason_keeps_its_name(p5en: InstanceType) -> None:
    """Wrong results of a matrix product are no matter of speed."""
    text = gpu_texts.throughput(errors={("diagnostic", 3): (58, "A memory mismatch was detected on GPU 3")})
    assert _matrix(text, p5en).cause == "dcgm-hardware"


def test_rates_that_older_versions_do_not_tell_are_a_finding(p5en: InstanceType) -> None:
    """Before DCGM 4.2.3 the answer has room for a few messages only; its verdicts are of all GPUs."""
    verdict = _matrix(gpu_texts.throughput(stress=dict.fromkeys(range(2, 8))), p5en)
    assert (verdict.outcome, verdict.measured) == (Outcome.PASS, 37_460.0)
    assert "no rate of 6 GPUs: of them there is its verdict alone" in verdict.findings[0].text
    assert verdict.summary == (
        "DCGM lets all 8 GPUs pass, asked for 37500 GFLOPS; told of 2, the slowest 37460"
    )
    silent = _matrix(gpu_texts.throughput(stress=dict.fromkeys(range(8))), p5en)
    assert (silent.outcome, silent.measured) == (Outcome.PASS, None)
    assert silent.summary == "DCGM lets all 8 GPUs pass, asked for 37500 GFLOPS; it tells no rate"


def test_a_rate_above_the_peak_contradicts_itself(p5en: InstanceType) -> None:
    """67 TFLOPS, and 4.8 TB/s, are what the part can do at most."""
    assert _matrix(gpu_texts.throughput(stress={1: 70_000.0}), p5en).outcome is Outcome.ERROR
    fast = Reading(parse_nvbandwidth(gpu_texts.copies(rates=dict.fromkeys(range(8), 5000.0))))
    assert _memory(gpu_texts.throughput(), p5en, copies=fast).outcome is Outcome.ERROR


def test_a_model_without_published_rates_is_not_tested(p5en: InstanceType) -> None:
    """No floor, no pass."""
    unknown = replace(p5en, gpu=replace(p5en.gpu, model="X900"))
    assert _matrix(gpu_texts.throughput(), unknown).outcome is Outcome.NOT_TESTED
    assert _memory(gpu_texts.throughput(), unknown).outcome is Outcome.NOT_TESTED


def test_the_run_is_asked_with_the_models_own_thresholds() -> None:
    """In MB/s where DCGM wants MB/s: its own table holds a thousandth for the H200."""
    words = gpu_tools.throughput_argv(model="H200")[-1].split(";")
    assert "targeted_stress.target_stress=37500" in words
    assert "memory_bandwidth.minimum_bandwidth=2333000" in words
    assert not [word for word in gpu_tools.throughput_argv(model="X900")[-1].split(";") if "minimum" in word]


def _outcomes(expected: NodeExpectation, kind: InstanceType) -> dict[str, Outcome]:
    facts = NodeFacts(node="i-1", answer=answers.exercise_answer(), instance_type=kind, expected=expected)
    return {each.check_id: each.outcome for each in judge_exercise(facts).verdicts}


def test_a_run_at_a_level_is_not_taken_for_the_run_with_thresholds(p5en: InstanceType) -> None:
    """It has the same tests, held to DCGM's own table; what it holds beside them gives it away."""
    argv = gpu_tools.throughput_argv(model="H200")
    answer = answers.exercise_answer(runs={argv: texts.diag_v4(level=4)})
    asked = NodeExpectation(throughput=True)
    facts = NodeFacts(node="i-1", answer=answer, instance_type=p5en, expected=asked)
    told = {each.check_id: each for each in judge_exercise(facts).verdicts}
    for check in ("DCG-005", "DCG-006"):
        assert told[check].outcome is Outcome.ERROR
        assert "not asked for" in told[check].summary


def test_rates_are_owed_where_they_were_asked_for(p5en: InstanceType) -> None:
    """And a run with another model's thresholds is none of this node's."""
    assert not {"DCG-005", "DCG-006"} & set(_outcomes(NodeExpectation(), p5en))
    asked = NodeExpectation(throughput=True)
    found = _outcomes(asked, p5en)
    assert (found["DCG-005"], found["DCG-006"]) == (Outcome.PASS, Outcome.PASS)
    other = _outcomes(asked, instance_type("p5.48xlarge"))
    assert (other["DCG-005"], other["DCG-006"]) == (Outcome.ERROR, Outcome.ERROR)


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ([{"status": "Pass"}], Outcome.ERROR),
        ([{"gpu_id": str(gpu), "status": "Pass"} for gpu in range(7)], Outcome.ERROR),
        ([{"gpu_id": str(gpu), "status": "Pass"} for gpu in range(8)], Outcome.PASS),
    ],
)
def test_the_memory_rate_of_dcgm_3_is_of_the_gpus_that_it_names(
    results: list[dict[str, str]], outcome: Outcome, p5en: InstanceType
) -> None:
    """A result without a GPU is of none of them."""
    test = {"name": "Memory Bandwidth", "results": results}
    root = {"version": "3.3.9", "test_categories": [{"category": "Stress", "tests": [test]}]}
    assert _memory(json.dumps({"DCGM GPU Diagnostic": root}), p5en).outcome is outcome
