"""Checks that could not be made, gathered so that one silent node is one entry and not one for each check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.validation.judgement import Judgement
from bedplate.validation.reports.wording import OUTCOME_WORDS, check_order


@dataclass(frozen=True)
class OpenEnd:
    """Checks that say the same about the same subjects; ``outcome`` is ``None`` where there is no verdict."""

    outcome: Outcome | None
    said: str
    summary: str
    checks: tuple[str, ...]
    subjects: tuple[Subject, ...]
    verdicts: tuple[Verdict, ...]


def open_ends(judgement: Judgement) -> tuple[OpenEnd, ...]:
    """Everything that is not proven and not a fault, in the order of the run, missing verdicts last."""
    said: dict[tuple[Subject, Outcome | None, str], list[str]] = {}
    verdicts: dict[tuple[Subject, Outcome | None, str], list[Verdict]] = {}
    for verdict in judgement.unproven:
        key = (verdict.subject, verdict.outcome, verdict.summary)
        said.setdefault(key, []).append(verdict.check_id)
        verdicts.setdefault(key, []).append(verdict)
    for missing in judgement.missing:
        said.setdefault((missing.subject, None, _MISSING), []).append(missing.check_id)
    merged: dict[tuple[Outcome | None, str, tuple[str, ...]], list[Subject]] = {}
    for (subject, outcome, summary), checks in said.items():
        merged.setdefault((outcome, summary, _in_order(checks)), []).append(subject)
    return tuple(
        OpenEnd(
            outcome=outcome,
            said=_SAID.get(outcome) or OUTCOME_WORDS[outcome or Outcome.ERROR],
            summary=summary,
            checks=checks,
            subjects=tuple(subjects),
            verdicts=tuple(v for s in subjects for v in verdicts.get((s, outcome, summary), ())),
        )
        for (outcome, summary, checks), subjects in merged.items()
    )


_MISSING = "The check was required and was not made."
_SAID = {
    None: "no verdict",
    Outcome.NOT_APPLICABLE: "said not applicable, but the hardware table says that it applies",
}


def _in_order(checks: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(checks), key=check_order))
