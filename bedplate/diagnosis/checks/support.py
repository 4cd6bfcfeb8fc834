"""How checks word their verdicts: one place for subjects, errors and excerpts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bedplate.diagnosis.causes import cause as cause_by_id
from bedplate.diagnosis.verdict import Finding, Measure, Outcome, Severity, Subject, Verdict

_EXCERPT_LINES = 12
LOOK_AGAIN = "Look at the evidence, mend what kept the tool from answering, and validate again."
"""The remedy of an error where nothing better is known."""


def node_subject(node: str) -> Subject:
    """A node as a verdict's subject, by its EC2 instance id."""
    return Subject("node", (node,))


def excerpt(lines: Iterable[str]) -> str:
    """The lines that decided, at most a dozen, each at most 200 characters."""
    chosen = [line[:200] for line in lines if line]
    more = len(chosen) - _EXCERPT_LINES
    return "\n".join(chosen[:_EXCERPT_LINES] + ([f"... and {more} more"] if more > 0 else []))


def warning(text: str, *, remedy: str = "") -> Finding:
    """A finding that somebody should act on."""
    return Finding(Severity.WARNING, text, remedy)


def info(text: str) -> Finding:
    """A finding that is good to know."""
    return Finding(Severity.INFO, text)


class Writer:
    """Writes the verdicts of one check about one subject; every verdict carries the same evidence."""

    def __init__(
        self,
        *,
        check_id: str,
        subject: Subject,
        evidence: Sequence[str] = (),
        expected: Measure = None,
        unit: str = "",
        source: str = "",
        basis: str = "",
    ) -> None:
        self._check_id = check_id
        self._subject = subject
        self._evidence = tuple(evidence)
        self._expected = expected
        self._unit = unit
        self._source = source
        self._basis = basis

    def passed(
        self,
        summary: str,
        *,
        measured: Measure = None,
        findings: Sequence[Finding] = (),
        lines: Iterable[str] = (),
    ) -> Verdict:
        """It was asked, answered whole, and is well."""
        return self._verdict(Outcome.PASS, summary, measured=measured, findings=findings, lines=lines)

    def failed(
        self,
        summary: str,
        *,
        cause: str | None,
        measured: Measure = None,
        findings: Sequence[Finding] = (),
        lines: Iterable[str] = (),
        remedy: str = "",
    ) -> Verdict:
        """It was asked, and the answer shows a fault; the remedy is the cause's where none is given."""
        known = None if cause is None else cause_by_id(cause)
        return self._verdict(
            Outcome.FAIL,
            summary,
            measured=measured,
            findings=findings,
            lines=lines,
            remedy=remedy or ("" if known is None else known.remedy),
            cause=cause,
        )

    def error(
        self,
        summary: str,
        *,
        measured: Measure = None,
        findings: Sequence[Finding] = (),
        lines: Iterable[str] = (),
        remedy: str = LOOK_AGAIN,
    ) -> Verdict:
        """It was asked, and the answer cannot be judged."""
        return self._verdict(
            Outcome.ERROR, summary, measured=measured, findings=findings, lines=lines, remedy=remedy
        )

    def not_tested(self, summary: str, *, measured: Measure = None, remedy: str = "") -> Verdict:
        """It was not asked, or nothing could be asked of it."""
        return self._verdict(Outcome.NOT_TESTED, summary, measured=measured, remedy=remedy)

    def not_applicable(self, summary: str) -> Verdict:
        """The hardware table says that the type has no such part."""
        return self._verdict(Outcome.NOT_APPLICABLE, summary)

    def _verdict(
        self,
        outcome: Outcome,
        summary: str,
        *,
        measured: Measure = None,
        findings: Sequence[Finding] = (),
        lines: Iterable[str] = (),
        remedy: str = "",
        cause: str | None = None,
    ) -> Verdict:
        return Verdict(
            check_id=self._check_id,
            subject=self._subject,
            outcome=outcome,
            summary=summary,
            measured=measured,
            expected=self._expected,
            unit=self._unit,
            source=self._source,
            excerpt=excerpt(lines),
            evidence=self._evidence,
            remedy=remedy,
            findings=tuple(findings),
            cause=cause,
            basis=self._basis,
        )
