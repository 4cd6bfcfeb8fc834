"""The front door for one node: answers in, verdicts out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.diagnosis import gpu_tools, tools
from bedplate.diagnosis.checks import EXERCISE_CHECKS, PROBE_CHECKS
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import (
    judge_answered,
    judge_exercise,
    judge_probe,
    judge_unanswered,
)
from bedplate.diagnosis.verdict import Outcome, Subject
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers, texts

EXERCISED = [check.id for check in EXERCISE_CHECKS if check.promised(NodeExpectation())]
PROBED = [check.id for check in PROBE_CHECKS if check.promised(NodeExpectation())]


def _probe(kind: InstanceType, **changes: Any) -> dict[str, Outcome]:
    verdicts = judge_probe(
        NodeFacts(node="i-0001", answer=answers.probe_answer(**changes), instance_type=kind)
    )
    assert [verdict.check_id for verdict in verdicts] == PROBED
    return {verdict.check_id: verdict.outcome for verdict in verdicts}


def _in_node(run: Any, kind: InstanceType) -> tuple[Outcome, str | None, str]:
    judgement = judge_exercise(
        NodeFacts(
            node="i-0001",
            answer=answers.exercise_answer(runs={answers.COLLECTIVE: run}),
            instance_type=kind,
            expected=NodeExpectation(dcgm_level=2),
        )
    )
    verdict = judgement.verdicts[-1]
    assert verdict.check_id == "NCL-001"
    trusted = verdict.outcome in {Outcome.PASS, Outcome.NOT_TESTED} or verdict.cause == "nvlink-slow"
    assert bool(judgement.measurements) is trusted
    return verdict.outcome, verdict.cause, verdict.summary


def test_a_healthy_probe_passes_every_passive_check(p5en: InstanceType) -> None:
    """As many passes as there are checks, each about this node."""
    assert set(_probe(p5en).values()) == {Outcome.PASS}
    verdicts = judge_probe(NodeFacts(node="i-0001", answer=answers.probe_answer(), instance_type=p5en))
    assert {verdict.subject for verdict in verdicts} == {Subject("node", ("i-0001",))}


@pytest.mark.parametrize(
    "answer", [{}, {"tools": None}, {"tools": [None, 1, {"argv": "x"}]}, {"tools": [], "infiniband": {}}]
)
def test_an_answer_that_holds_nothing_is_all_errors(answer: dict[str, Any], p5en: InstanceType) -> None:
    """Missing tools are errors, never passes."""
    verdicts = judge_probe(NodeFacts(node="i-0001", answer=answer, instance_type=p5en))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.ERROR] * len(PROBED)


@pytest.mark.parametrize(
    ("argv", "checks"),
    [
        (tools.NVIDIA_SMI, {"GPU-001", "GPU-002", "GPU-003"}),
        (tools.KERNEL_LOG, {"GPU-004"}),
        (tools.DCGMI_NVLINK, {"NVL-001"}),
        (gpu_tools.NVIDIA_SMI_NVLINK, {"NVL-001"}),
        (gpu_tools.NVIDIA_SMI_DETAILS, {"GPU-004", "GPU-005", "GPU-006", "GPU-007"}),
        (gpu_tools.FABRIC_MANAGER_UNIT, {"GPU-007"}),
        (tools.FI_INFO, {"EFA-001"}),
    ],
)
@pytest.mark.parametrize("how", ["missing", "rc", "timed out", "killed", "truncated", "empty", "noise"])
def test_a_tool_that_did_not_end_well_is_an_error_of_its_checks(
    argv: tuple[str, ...], checks: set[str], how: str, p5en: InstanceType
) -> None:
    """Missing, bad status, past its deadline, killed, cut, silent, or talking nonsense: only its checks
    suffer.
    """
    healthy = next(run for run in answers.probe_answer()["tools"] if run["argv"] == list(argv))
    run: Any = {
        "missing": None,
        "rc": {**healthy, "rc": 1},
        "timed out": {**healthy, "rc": None, "timed_out": True},
        "killed": {**healthy, "rc": None},
        "truncated": {**healthy, "truncated": True},
        "empty": "",
        "noise": "Segmentation fault\n",
    }[how]
    outcomes = _probe(p5en, runs={argv: run})
    bad = {check for check, outcome in outcomes.items() if outcome is not Outcome.PASS}
    # A kernel log of one line is a log, of which the boot is missing.
    assert bad == checks
    assert {outcomes[check] for check in bad} == {Outcome.ERROR}


def test_a_tool_that_ran_twice_is_no_answer(p5en: InstanceType) -> None:
    """Which of the two would count?"""
    answer = answers.probe_answer()
    answer["tools"] += [texts.tool(tools.NVIDIA_SMI, texts.gpu_table())]
    verdicts = judge_probe(NodeFacts(node="i-0001", answer=answer, instance_type=p5en))
    assert {verdict.check_id for verdict in verdicts if verdict.outcome is Outcome.ERROR} == {
        "GPU-001",
        "GPU-002",
        "GPU-003",
    }


def test_faults_are_named_one_by_one(p5en: InstanceType) -> None:
    """A lost EFA, an XID, a lost GPU, a link down: each fails its own check alone."""
    names = texts.efa_names(15)
    lost = _probe(p5en, runs={tools.FI_INFO: texts.fabric_list(names)}, infiniband=texts.sysfs_list(names))
    assert {check for check, outcome in lost.items() if outcome is Outcome.FAIL} == {"EFA-001"}
    line = "NVRM: Xid (PCI:0000:53:00): 64, pid='<unknown>', name=<unknown>, Row Remapper Error"
    xid = _probe(p5en, runs={tools.KERNEL_LOG: texts.kernel_log(line)})
    assert {check for check, outcome in xid.items() if outcome is Outcome.FAIL} == {"GPU-004"}


def test_a_type_without_parts_is_not_asked_for_them() -> None:
    """One GPU has no NVLink; its single EFA is asked for."""
    names = texts.efa_names(1)
    gpu = {"name": "NVIDIA H100 80GB HBM3", "memory.total": "81559 MiB"}
    table = texts.gpu_table(gpus=1, changes={0: gpu})
    answer = answers.probe_answer(
        runs={tools.NVIDIA_SMI: table, tools.FI_INFO: texts.fabric_list(names)},
        infiniband=texts.sysfs_list(names),
    )
    verdicts = judge_probe(NodeFacts(node="i-0001", answer=answer, instance_type=instance_type("p5.4xlarge")))
    outcomes = {verdict.check_id: verdict.outcome for verdict in verdicts}
    assert outcomes.pop("NVL-001") is Outcome.NOT_APPLICABLE
    assert outcomes["GPU-001"] is Outcome.PASS


def test_a_healthy_exercise_passes_and_measures(p5en: InstanceType) -> None:
    """DCGM's two levels and the collective, with its bandwidth beside its floor."""
    judgement = judge_exercise(
        NodeFacts(
            node="i-0001",
            answer=answers.exercise_answer(),
            instance_type=p5en,
            expected=NodeExpectation(dcgm_level=2),
            evidence=("e",),
        )
    )
    outcomes = {v.check_id: v.outcome for v in judgement.verdicts}
    assert list(outcomes) == [*EXERCISED, "NCL-001"]
    assert {"DCG-001", "DCG-002", "GDR-001", "NCL-001"} <= set(outcomes)
    assert set(outcomes.values()) <= {Outcome.PASS, Outcome.NOT_APPLICABLE}
    assert [each.size_bytes for each in judgement.measurements] == [1 << 30, 1 << 34]
    measured = judgement.measurements[-1]
    assert (measured.scope, measured.nodes, measured.ranks, measured.busbw_gb_per_s) == (
        "in-node",
        ("i-0001",),
        8,
        478.0,
    )
    assert measured.floor_gb_per_s is not None
    assert measured.ceiling_gb_per_s is not None
    assert measured.floor_gb_per_s < measured.busbw_gb_per_s < measured.ceiling_gb_per_s


def test_a_slow_node_names_nvlink(p5en: InstanceType) -> None:
    """Below the floor inside the node."""
    assert _in_node(texts.in_node_log(peak=300.0), p5en)[:2] == (Outcome.FAIL, "nvlink-slow")


def test_the_lower_of_both_placements_counts(p5en: InstanceType) -> None:
    """A slow in-place beside a fast out-of-place fails."""
    log = texts.in_node_log(peaks={16 * texts.GIB: (478.0, 300.0)})
    assert _in_node(log, p5en)[0] is Outcome.FAIL
    log = texts.in_node_log(peaks={16 * texts.GIB: (300.0, 478.0)})
    assert _in_node(log, p5en)[0] is Outcome.FAIL


def test_wrong_results_fail_however_fast(p5en: InstanceType) -> None:
    """One wrong element at a small size is a hard fail."""
    assert _in_node(texts.in_node_log(wrong={1024: "1"}), p5en)[:2] == (Outcome.FAIL, "data-corruption")


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (texts.in_node_log(wrong={1024: "N/A"}), "not checked"),
        (texts.in_node_log(sizes=texts.SIZES[:-1]), "31 of 32 sizes"),
        (texts.in_node_log(footer=False), "partial"),
        (texts.in_node_log(gpus=4), "made by 4 ranks"),
        (texts.in_node_log() * 2, "2 runs"),
        (texts.in_node_log(peak=2000.0), "more than the wires allow"),
        (
            texts.in_node_log() + "ip-10-1-0-11: Test NCCL failure common.cu:958 'unhandled cuda error'\n",
            "failure",
        ),
        ("Invalid number of GPUs: 8 requested but only 7 were found.\n", "Invalid number of GPUs"),
        ("", "neither a table"),
        (None, "no single run"),
        (texts.tool(answers.COLLECTIVE, texts.in_node_log(), rc=3), "status 3"),
        (texts.tool(answers.COLLECTIVE, texts.in_node_log(), rc=None), "killed"),
    ],
)
def test_a_run_that_cannot_be_judged_is_an_error(run: Any, words: str, p5en: InstanceType) -> None:
    """Unchecked, short, cut, of other ranks, doubled, too fast, crashed, missing: never a pass."""
    outcome, cause, summary = _in_node(run, p5en)
    assert (outcome, cause) == (Outcome.ERROR, None)
    assert words in summary


def test_a_hang_is_a_failed_test(p5en: InstanceType) -> None:
    """A collective past its deadline fails, and is not merely unknown."""
    run = texts.tool(answers.COLLECTIVE, texts.in_node_log(footer=False), rc=None, timed_out=True)
    assert _in_node(run, p5en)[:2] == (Outcome.FAIL, "collective-hang")


def test_a_type_without_a_published_figure_is_not_tested() -> None:
    """No floor, no pass, whatever was measured."""
    judgement = judge_exercise(
        NodeFacts(
            node="i-0001",
            answer=answers.exercise_answer(),
            instance_type=instance_type("p6-b300.48xlarge"),
            expected=NodeExpectation(dcgm_level=2),
        )
    )
    assert judgement.verdicts[-1].outcome is Outcome.NOT_TESTED
    assert judgement.measurements[0].floor_gb_per_s is None


def test_an_answer_with_a_problem_is_an_error_and_an_unreachable_node_a_fault() -> None:
    """NOD-001: whole and fresh passes, cut or foreign is an error, unreachable names the node."""
    assert judge_answered(node="i-1").outcome is Outcome.PASS
    assert judge_answered(node="i-1", problem="cut at 24,000 characters").outcome is Outcome.ERROR
    assert judge_answered(node="i-1", problem="").outcome is Outcome.ERROR
    gone = judge_answered(node="i-1", unreachable=True)
    assert (gone.outcome, gone.cause) == (Outcome.FAIL, "node-unreachable")


def test_checks_without_an_answer_are_errors_each() -> None:
    """One verdict for each check that was asked for."""
    verdicts = judge_unanswered(node="i-1", check_ids=["GPU-001", "EFA-001"], reason="it was cut")
    assert [(v.check_id, v.outcome) for v in verdicts] == [
        ("GPU-001", Outcome.ERROR),
        ("EFA-001", Outcome.ERROR),
    ]
    assert "it was cut" in verdicts[0].summary


def test_a_version_that_a_log_breaks_off_in_is_none(p5en: InstanceType) -> None:
    """Wherever a full disk ends the log, what is told is a version of the whole log, or nothing."""
    start = "ip-10-1-0-11:4100:4200 [0] NCCL INFO "
    log = (
        f"{start}NCCL version 2.27.3+cuda12.8\n{start}NET/OFI Initializing aws-ofi-nccl 1.16.3\n"
        + texts.in_node_log()
    )

    def told(text: str, rc: int) -> Mapping[str, str]:
        ran = texts.tool(answers.COLLECTIVE, text, rc=rc)
        answer = answers.exercise_answer(runs={answers.COLLECTIVE: ran})
        facts = NodeFacts(
            node="i-0001", answer=answer, instance_type=p5en, expected=NodeExpectation(dcgm_level=2)
        )
        return judge_exercise(facts).versions

    whole = told(log, 0)
    assert whole == {"nccl": "2.27.3+cuda12.8", "aws-ofi-nccl": "1.16.3"}
    for name, version in whole.items():
        end = log.index(version) + len(version)
        assert told(log[: end + 1], 1).get(name) == version
        for cut in range(end - len(version) - 2, end + 1):
            assert name not in told(log[:cut], 1), log[:cut][-30:]
