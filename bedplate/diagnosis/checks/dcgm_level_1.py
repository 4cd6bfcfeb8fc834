"""DCG-001: DCGM's deployment tests (level 1) pass on every GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.causes import cause
from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_levels import check_facts
from bedplate.diagnosis.checks.support import LOOK_AGAIN
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgmi_health import FAILURE, HEALTHY, HealthReport, parse_dcgmi_health
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Finding, Outcome, Severity, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="DCG-001",
    title="DCGM's deployment tests pass on every GPU",
    what="`dcgmi diag` at level 1: libraries, permissions, persistence mode, page retirement and row "
    "remapping, graphics processes, inforom. Each test must be in the answer and must have passed on "
    "every GPU. What DCGM's background watches call a failure, where somebody set them, fails too; what they "
    "warn of is a finding. Where nobody knows what they saw, it is an error.",
    why="A driver, a library or a setting that is wrong shows here in seconds, before an hour of "
    "training. Level 1 tests no hardware.",
    fix="A fail that DCGM weighs as configuration (severity 5): correct the setting it names, such as "
    "`nvidia-smi -pm 1`; do not drain. Any other fail: drain the node and replace the instance.",
    by_hand="`dcgmi diag -r 1 -j`; the status 226 means that a test failed, 217 that another run was "
    "under way.",
)

_FAILURE = "dcgm-hardware"


def _judge(facts: NodeFacts) -> Verdict:
    verdict = check_facts(facts, level=1, check_id=ROW.id)
    health = read_tool(answer=facts.answer, argv=gpu_tools.DCGM_HEALTH, parse=parse_dcgmi_health)
    findings = health_findings(health, facts.instance_type)
    return with_health(verdict, findings, unread=unread_health(health))


def with_health(verdict: Verdict, findings: Sequence[Finding], *, unread: str = "") -> Verdict:
    """The verdict of the tests beside what the watches saw: their failure is no pass, nor is what they saw
    and nobody can read (``unread`` says why); neither changes anything where the tests are no pass.
    """
    told = (*verdict.findings, *findings)
    failures = [each for each in findings if each.severity is Severity.CRITICAL]
    if verdict.outcome is not Outcome.PASS or not (failures or unread):
        return replace(verdict, findings=told)
    if not failures:
        return replace(
            verdict,
            outcome=Outcome.ERROR,
            summary=f"The tests pass, and what DCGM's health watches saw cannot be read: {unread}",
            remedy=LOOK_AGAIN,
            findings=told,
        )
    row = cause(_FAILURE)
    return replace(
        verdict,
        outcome=Outcome.FAIL,
        summary=f"The tests pass, and {failures[0].text}",
        cause=_FAILURE,
        remedy=row.remedy if row else "",
        findings=told,
    )


def unread_health(health: Reading[HealthReport]) -> str:
    """Why nobody knows what the watches saw; empty where they were read, or where none is set, which
    ``dcgmi`` says with a bad status.
    """
    if health.record is None:
        return health.problem
    return health.problem if health.record.watched else ""


def health_findings(health: Reading[HealthReport], instance_type: InstanceType) -> list[Finding]:
    """What DCGM's background watches have seen; nothing where nobody has set them.

    IMEX is unhealthy wherever there is none: on machines that are no UltraServer it is passed over. It is
    known by its name: ``dcgmi health`` prints no error code (122 would be it). A failure of the whole that no
    incident explains is told as one.
    """
    report = health.record
    if report is None or not report.watched:
        return []
    if report.overall == FAILURE and not report.incidents:
        return [Finding(Severity.CRITICAL, "DCGM's health watches tell of a failure, and not of which")]
    return [
        Finding(
            Severity.CRITICAL if incident.state == FAILURE else Severity.WARNING,
            f"DCGM's health watch of {incident.part}, {incident.system}: {incident.text or incident.state}",
        )
        for incident in report.incidents
        if incident.state != HEALTHY and (instance_type.needs_imex or "IMEX" not in incident.text)
    ]


CHECK = Check(row=ROW, stage=EXERCISE, judge=_judge)
