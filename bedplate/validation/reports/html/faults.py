"""What is wrong, what could not be proven, and what is worth knowing: the cards of the page."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.verdict import Finding, Measure, Outcome, Subject, Verdict
from bedplate.validation.judgement import Fault, Judgement
from bedplate.validation.reports.html.names import Names, NodeName, SubjectName, name_of, subject_name
from bedplate.validation.reports.wording import OUTCOME_WORDS, cause_title, check_title, measure_text
from bedplate.validation.result import RunResult

_EXCERPT_LINES = 40


@dataclass(frozen=True)
class ProofView:
    """One verdict that shows a fault; ``excerpt`` is cut to 40 lines, ``cut`` says how many were left out."""

    check_id: str
    check_title: str
    summary: str
    measured: str
    expected: str
    unit: str
    source: str
    excerpt: str
    cut: int
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class FaultView:
    """One fault as a card; ``anchor`` is what cells of the map link to."""

    anchor: str
    number: int
    title: str
    cause: str
    subject: SubjectName
    proofs: tuple[ProofView, ...]
    remedy: str


@dataclass(frozen=True)
class OpenView:
    """Checks of one kind that could not be made, with the nodes they are about."""

    anchor: str
    outcome: str
    said: str
    check_id: str
    check_title: str
    summary: str
    subjects: tuple[SubjectName, ...]
    excerpt: str
    remedy: str


@dataclass(frozen=True)
class FindingView:
    """Something worth knowing that does not decide the outcome."""

    severity: str
    check_id: str
    subject: SubjectName
    text: str
    remedy: str


def fault_views(judgement: Judgement, names: Names) -> tuple[FaultView, ...]:
    """One card a fault, in the order of the judgement."""
    return tuple(_fault(number, fault, names) for number, fault in enumerate(judgement.faults, 1))


def _fault(number: int, fault: Fault, names: Names) -> FaultView:
    return FaultView(
        anchor=f"fault-{number}",
        number=number,
        title=cause_title(fault.cause) or check_title(fault.check_id) or f"{fault.check_id} failed",
        cause=fault.cause or "",
        subject=subject_name(fault.subject, names),
        proofs=tuple(_proof(verdict) for verdict in fault.verdicts),
        remedy=fault.remedy,
    )


def _proof(verdict: Verdict) -> ProofView:
    lines = verdict.excerpt.splitlines()
    return ProofView(
        check_id=verdict.check_id,
        check_title=check_title(verdict.check_id),
        summary=verdict.summary,
        measured=_plain(verdict.measured),
        expected=_plain(verdict.expected),
        unit=verdict.unit,
        source=verdict.source,
        excerpt="\n".join(lines[:_EXCERPT_LINES]),
        cut=max(0, len(lines) - _EXCERPT_LINES),
        evidence=verdict.evidence,
    )


def _plain(value: Measure) -> str:
    return measure_text(value)


def open_views(judgement: Judgement, names: Names) -> tuple[OpenView, ...]:
    """Checks that gave no answer, by kind, so that 64 nodes without an answer are one entry."""
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in judgement.unproven:
        groups.setdefault((verdict.check_id, verdict.outcome.value, verdict.summary), []).append(verdict)
    views = [_open(index, group, names) for index, group in enumerate(groups.values(), 1)]
    absent: dict[str, list[Subject]] = {}
    for missing in judgement.missing:
        absent.setdefault(missing.check_id, []).append(missing.subject)
    return (*views, *(_absent(check, subjects, names) for check, subjects in absent.items()))


def _open(index: int, group: list[Verdict], names: Names) -> OpenView:
    first = group[0]
    said = OUTCOME_WORDS[first.outcome]
    if first.outcome is Outcome.NOT_APPLICABLE:
        said = "said not applicable, but the hardware table says that it applies"
    return OpenView(
        anchor=f"open-{index}",
        outcome=first.outcome.value,
        said=said,
        check_id=first.check_id,
        check_title=check_title(first.check_id),
        summary=first.summary,
        subjects=tuple(subject_name(v.subject, names) for v in group),
        excerpt="\n".join(first.excerpt.splitlines()[:_EXCERPT_LINES]),
        remedy=first.remedy,
    )


def _absent(check_id: str, subjects: list[Subject], names: Names) -> OpenView:
    return OpenView(
        anchor=f"missing-{check_id}",
        outcome="missing",
        said="no verdict",
        check_id=check_id,
        check_title=check_title(check_id),
        summary="The check was required and was not made.",
        subjects=tuple(subject_name(subject, names) for subject in subjects),
        excerpt="",
        remedy="",
    )


def finding_views(result: RunResult, names: Names) -> tuple[FindingView, ...]:
    """All findings, the weightiest first."""
    order = {"critical": 0, "warning": 1, "info": 2}
    found: list[tuple[Verdict, Finding]] = [(v, f) for v in result.verdicts for f in v.findings]
    found.sort(key=lambda pair: order[pair[1].severity.value])
    return tuple(
        FindingView(f.severity.value, v.check_id, subject_name(v.subject, names), f.text, f.remedy)
        for v, f in found
    )


def nodes_at_fault(judgement: Judgement, names: Names) -> tuple[NodeName, ...]:
    """The nodes that a fault names, once each."""
    hit = dict.fromkeys(node for fault in judgement.faults for node in fault.subject.names)
    return tuple(name_of(node, names) for node in hit)
