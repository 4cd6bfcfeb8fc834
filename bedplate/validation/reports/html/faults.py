"""What is wrong, what could not be proven, and what is worth knowing: the cards of the page."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.validation.judgement import Fault, Judgement
from bedplate.validation.reports.html.names import Names, SubjectName, subject_name
from bedplate.validation.reports.open_ends import OpenEnd
from bedplate.validation.reports.wording import check_title, confidence_text, fault_title, measure_text
from bedplate.validation.result import RunResult

_EXCERPT_LINES = 40


@dataclass(frozen=True)
class ProofView:
    """One verdict that shows a fault; ``excerpt`` is cut to 40 lines, ``cut`` says how many were left out.

    ``because`` holds the tests that led there, one a line, and ``sure`` how sure that makes it; both empty
    where nothing was inferred.
    """

    check_id: str
    check_title: str
    summary: str
    measured: str
    expected: str
    unit: str
    source: str
    excerpt: str
    cut: int
    because: str
    sure: str
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
class CheckName:
    """A check by id and title."""

    id: str
    title: str


@dataclass(frozen=True)
class OpenView:
    """Checks that could not be made for one reason, with the nodes they are about."""

    anchor: str
    state: str
    said: str
    checks: tuple[CheckName, ...]
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
        title=fault_title(fault),
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
        measured=measure_text(verdict.measured),
        expected=measure_text(verdict.expected),
        unit=verdict.unit,
        source=verdict.source,
        excerpt="\n".join(lines[:_EXCERPT_LINES]),
        cut=max(0, len(lines) - _EXCERPT_LINES),
        because="\n".join(verdict.because),
        sure=confidence_text(verdict.confidence),
        evidence=verdict.evidence,
    )


def open_views(ends: tuple[OpenEnd, ...], names: Names) -> tuple[OpenView, ...]:
    """One card for each thing that could not be proven, in the order of ``ends``."""
    return tuple(_open(index, end, names) for index, end in enumerate(ends, 1))


def _open(index: int, end: OpenEnd, names: Names) -> OpenView:
    excerpt = next((v.excerpt for v in end.verdicts if v.excerpt), "")
    return OpenView(
        anchor=f"open-{index}",
        state=end.outcome.value if end.outcome else "missing",
        said=end.said,
        checks=tuple(CheckName(check, check_title(check)) for check in end.checks),
        summary=end.summary,
        subjects=tuple(subject_name(subject, names) for subject in end.subjects),
        excerpt="\n".join(excerpt.splitlines()[:_EXCERPT_LINES]),
        remedy=next((v.remedy for v in end.verdicts if v.remedy), ""),
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
