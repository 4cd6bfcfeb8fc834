"""What a log with a whole table tells of failures rides on the pass as warnings."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.bandwidth_expectation import Reference, Shape, expectations
from bedplate.diagnosis.checks import nccl_in_node
from bedplate.diagnosis.checks.collective_run import Asked, read_run
from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise
from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers, texts

HOSTS = ("ip-10-1-0-11", "ip-10-1-0-12")
TRANSFER = "[0] NCCL WARN NET/OFI Request 0x7f completed with error. RC: 103. Error: 4101"
LINES = [
    (f"{HOSTS[1]}:41:42 {TRANSFER}", "a transfer over EFA failed"),
    (f"{HOSTS[0]}:41:42 [0] NCCL WARN NET/OFI No eligible providers were found", "libfabric sees no EFA"),
    ("[12.3] oom-kill:constraint=CONSTRAINT_MEMCG", "host's memory was used up"),
]


def _in_node(log: str, kind: InstanceType) -> Verdict:
    answer = answers.exercise_answer(runs={answers.COLLECTIVE: log})
    facts = NodeFacts(node="i-1", answer=answer, instance_type=kind, expected=NodeExpectation(dcgm_level=2))
    return next(each for each in judge_exercise(facts).verdicts if each.check_id == "NCL-001")


@pytest.mark.parametrize(("line", "words"), LINES)
def test_a_failure_beside_a_whole_table_is_a_warning_on_the_pass(
    line: str, words: str, p5en: InstanceType
) -> None:
    """The table is whole and the status 0: NCL-002 and NCL-001 pass, and show the line with what mends it."""
    between = judge_collective(
        log=texts.between_log() + line + "\n",
        rc=0,
        timed_out=False,
        nodes=["i-1", "i-2"],
        instance_type=p5en,
    ).transport
    for verdict in (between, _in_node(texts.in_node_log() + line + "\n", p5en)):
        assert verdict.outcome is Outcome.PASS, verdict.summary
        (finding,) = verdict.findings
        assert finding.severity is Severity.WARNING
        assert words in finding.text
        assert line in finding.text
        assert finding.remedy


def test_a_healthy_log_has_no_such_warning(p5en: InstanceType) -> None:
    """Nothing is made of nothing."""
    assert _in_node(texts.in_node_log(), p5en).findings == ()


def test_what_many_hosts_report_is_one_warning(p5en: InstanceType) -> None:
    """The same meaning from every host is told once, with the hosts that report it."""
    lines = "".join(f"{host}:41:42 {TRANSFER}\n" for host in HOSTS)
    log = texts.between_log() + lines
    judged = judge_collective(
        log=log, rc=0, timed_out=False, nodes=["i-1", "i-2"], instance_type=p5en
    ).transport
    (finding,) = judged.findings
    assert f"told by {HOSTS[0]}, {HOSTS[1]}" in finding.text


def test_a_warning_stays_when_the_pass_is_by_peers_alone() -> None:
    """Without a published figure a node passes beside its peers, and keeps what its log told."""
    kind = instance_type("p6-b300.48xlarge")
    run = read_run(
        log=texts.in_node_log(peak=830.0) + LINES[0][0] + "\n",
        rc=0,
        timed_out=False,
        asked=Asked("all_reduce", 8, 8, 16 * texts.GIB),
    )
    alone = nccl_in_node.check(node="i-1", run=run, expected=expectations(shape=Shape(kind, "all_reduce", 1)))
    assert alone.outcome is Outcome.NOT_TESTED
    peers = Reference(1, (830.0, 828.0, 832.0))
    beside = nccl_in_node.beside_peers(verdict=alone, busbw_gb_per_s=830.0, peers=peers, instance_type=kind)
    assert beside.outcome is Outcome.PASS
    assert any("a transfer over EFA failed" in finding.text for finding in beside.findings)
