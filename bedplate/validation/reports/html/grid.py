"""The map: nodes down, checks across, one mark a cell, and the whole list of verdicts behind it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.validation.judgement import Judgement, subjects_owed
from bedplate.validation.reports.html.faults import FaultView
from bedplate.validation.reports.html.names import Names, NodeName, SubjectName, subject_name
from bedplate.validation.reports.open_ends import OpenEnd
from bedplate.validation.reports.wording import (
    FAMILIES,
    OUTCOME_GLYPHS,
    OUTCOME_WORDS,
    check_order,
    check_title,
    measure_text,
    sentence,
)
from bedplate.validation.result import RunResult

_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.PASS, Outcome.NOT_APPLICABLE)


@dataclass(frozen=True)
class Column:
    """One check; ``number`` is its id without the family."""

    check_id: str
    number: str
    title: str


@dataclass(frozen=True)
class Family:
    """Checks of one kind, side by side."""

    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Cell:
    """One mark: ``state`` is an outcome, ``missing``, ``waived`` or ``none`` (nothing is owed here)."""

    check_id: str
    state: str
    glyph: str
    text: str
    target: str


@dataclass(frozen=True)
class Row:
    """One node, or (``node`` is ``None``) the whole, a link, a pool; ``anchor`` leads to its verdicts."""

    node: NodeName | None
    label: str
    anchor: str
    cells: tuple[Cell, ...]
    well: bool


@dataclass(frozen=True)
class Grid:
    """The whole map; nodes with something amiss come first."""

    families: tuple[Family, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class VerdictView:
    """One verdict of the whole list."""

    state: str
    glyph: str
    said: str
    check_id: str
    title: str
    summary: str
    measured: str
    expected: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class VerdictGroup:
    """All verdicts about one subject."""

    anchor: str
    subject: SubjectName
    counts: str
    well: bool
    verdicts: tuple[VerdictView, ...]


def build_grid(
    result: RunResult,
    judgement: Judgement,
    names: Names,
    faults: tuple[FaultView, ...],
    ends: tuple[OpenEnd, ...],
) -> Grid:
    """The map of a run; cells that are amiss link to the card that explains them."""
    checks = sorted({*result.required_checks, *(v.check_id for v in result.verdicts)}, key=check_order)
    maker = _CellMaker(result, judgement, _targets(judgement, faults, ends))
    nodes = dict.fromkeys(Subject("node", (n.node,)) for n in result.nodes)
    others = dict.fromkeys(s for s in [CLUSTER, *(v.subject for v in result.verdicts)] if s not in nodes)
    rows = [maker.row(subject, checks, names) for subject in nodes]
    rows.sort(key=lambda row: row.well)
    rows += [maker.row(subject, checks, names) for subject in others]
    rows = [row for row in rows if any(cell.state != "none" for cell in row.cells)]
    return Grid(_families(checks), tuple(rows))


def verdict_groups(result: RunResult, judgement: Judgement, names: Names) -> tuple[VerdictGroup, ...]:
    """Every verdict of the run by subject, in the order of the run's nodes."""
    waived = {waiver.check_id for waiver, _ in judgement.waived}
    subjects = [Subject("node", (n.node,)) for n in result.nodes] + [v.subject for v in result.verdicts]
    groups = []
    for subject in dict.fromkeys(subjects):
        mine = [v for v in result.verdicts if v.subject == subject]
        groups.append(_group(subject, mine, names, waived))
    return tuple(groups)


class _CellMaker:
    def __init__(
        self, result: RunResult, judgement: Judgement, targets: Mapping[tuple[Subject, str, str], str]
    ) -> None:
        self._verdicts: dict[tuple[Subject, str], list[Verdict]] = {}
        for verdict in result.verdicts:
            self._verdicts.setdefault((verdict.subject, verdict.check_id), []).append(verdict)
        self._targets = targets
        self._missing = {(m.subject, m.check_id) for m in judgement.missing}
        self._waived = {waiver.check_id: waiver.reason for waiver, _ in judgement.waived}
        self._owed = {
            (subject, check)
            for check in result.required_checks
            for subject in subjects_owed(result=result, check_id=check)
        }

    def row(self, subject: Subject, checks: list[str], names: Names) -> Row:
        """The marks of one subject."""
        cells = tuple(self.cell(subject, check) for check in checks)
        name = subject_name(subject, names)
        return Row(
            node=name.nodes[0] if subject.kind == "node" else None,
            label=name.text if name.nodes else sentence(name.text),
            anchor=_anchor(subject),
            cells=cells,
            well=all(cell.state in {"pass", "not-applicable", "waived", "none"} for cell in cells),
        )

    def cell(self, subject: Subject, check: str) -> Cell:
        verdicts = self._verdicts.get((subject, check), [])
        if check in self._waived and (verdicts or (subject, check) in self._owed):
            said = ", ".join(OUTCOME_WORDS[v.outcome] for v in verdicts) or "not made"
            text = f"waived ({self._waived[check]}); the check itself: {said}"
            return Cell(check, "waived", "w", text, "waivers")
        if verdicts:
            worst = min(verdicts, key=lambda v: _WORST_FIRST.index(v.outcome))
            text = f"{OUTCOME_WORDS[worst.outcome]}: {worst.summary}"
            target = self._targets.get((subject, check, worst.outcome.value), "")
            return Cell(check, worst.outcome.value, OUTCOME_GLYPHS[worst.outcome], text, target)
        if (subject, check) in self._missing:
            target = self._targets.get((subject, check, "missing"), "")
            return Cell(check, "missing", "∅", "required, and no verdict was given", target)
        return Cell(check, "none", "", "", "")


def _targets(
    judgement: Judgement, faults: tuple[FaultView, ...], ends: tuple[OpenEnd, ...]
) -> dict[tuple[Subject, str, str], str]:
    """(Subject, check, state) → the anchor of the card that explains it."""
    targets = {
        (verdict.subject, verdict.check_id, verdict.outcome.value): view.anchor
        for view, fault in zip(faults, judgement.faults, strict=True)
        for verdict in fault.verdicts
    }
    for index, end in enumerate(ends, 1):
        state = end.outcome.value if end.outcome else "missing"
        targets |= {
            (subject, check, state): f"open-{index}" for subject in end.subjects for check in end.checks
        }
    return targets


def _families(checks: list[str]) -> tuple[Family, ...]:
    families = []
    for prefix, members in groupby(checks, key=lambda check: check.partition("-")[0]):
        columns = tuple(Column(c, c.partition("-")[2] or c, check_title(c)) for c in members)
        families.append(Family(FAMILIES.get(prefix, prefix), columns))
    return tuple(families)


def _group(subject: Subject, verdicts: list[Verdict], names: Names, waived: set[str]) -> VerdictGroup:
    counts = Counter(v.outcome for v in verdicts if v.check_id not in waived)
    left_out = sum(v.check_id in waived for v in verdicts)
    said = [f"{counts[outcome]} {OUTCOME_WORDS[outcome]}" for outcome in _WORST_FIRST if counts[outcome]]
    said += [f"{left_out} waived"] if left_out else []
    return VerdictGroup(
        anchor=_anchor(subject),
        subject=subject_name(subject, names),
        counts=", ".join(said) or "no verdict",
        well=bool(verdicts) and not (set(counts) - {Outcome.PASS, Outcome.NOT_APPLICABLE}),
        verdicts=tuple(_verdict(v, v.check_id in waived) for v in verdicts),
    )


def _anchor(subject: Subject) -> str:
    """An id for the page; made of what cannot be in an id, it is a hash of it."""
    text = "-".join(("all", subject.kind, *subject.names))
    if re.fullmatch(r"[\w.-]+", text, flags=re.ASCII):
        return text
    return f"all-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:16]}"


def _verdict(verdict: Verdict, waived: bool) -> VerdictView:
    said = OUTCOME_WORDS[verdict.outcome]
    return VerdictView(
        state="waived" if waived else verdict.outcome.value,
        glyph="w" if waived else OUTCOME_GLYPHS[verdict.outcome],
        said=f"waived ({said})" if waived else said,
        check_id=verdict.check_id,
        title=check_title(verdict.check_id),
        summary=verdict.summary,
        measured=measure_text(verdict.measured, verdict.unit),
        expected=measure_text(verdict.expected, verdict.unit),
        evidence=verdict.evidence,
    )
