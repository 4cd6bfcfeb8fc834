"""A run as a person reads it in a terminal: verdict first, then faults with proof and remedy, then the map.

Plain where colours are not wanted (``NO_COLOR``, a pipe); nothing is said by colour alone.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from enum import Enum
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bedplate.diagnosis.verdict import CLUSTER, Finding, Outcome, Subject, Verdict
from bedplate.validation.judgement import Fault, Judgement, judge
from bedplate.validation.reports.actions import ActionView, action_view, left_view, undo_command
from bedplate.validation.reports.blocks import block_views
from bedplate.validation.reports.efa_traffic import efa_text
from bedplate.validation.reports.open_ends import open_ends
from bedplate.validation.reports.wording import (
    OUTCOME_GLYPHS,
    OUTCOME_WORDS,
    SIMULATED,
    check_order,
    confidence_text,
    duration_text,
    fault_title,
    measure_text,
    node_label,
    sentence,
    subject_label,
    time_text,
)
from bedplate.validation.result import RunResult

_STYLES = {
    Outcome.PASS: "green",
    Outcome.FAIL: "bold red",
    Outcome.ERROR: "bold magenta",
    Outcome.NOT_TESTED: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
}
_WORST_LAST = (Outcome.NOT_APPLICABLE, Outcome.PASS, Outcome.NOT_TESTED, Outcome.ERROR, Outcome.FAIL)
_ACTION_STYLES = {"done": "green", "open": "yellow", "bad": "bold red"}
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_EXCERPT_LINES = 4
_MAP_ROWS = 24
_MAP_COLUMNS_AT_LEAST = 4  # of four characters each; where they do not fit, labels are cut
_PIPE_COLUMNS = 100
_UNPROVEN_SHOWN = 12
_SUBJECTS_SHOWN = 4


def print_result(result: RunResult, *, stream: TextIO | None = None, width: int | None = None) -> None:
    """Print a run to ``stream`` (default standard output), as wide as the terminal or ``width`` columns."""
    out = stream if stream is not None else sys.stdout
    out.write(render_terminal(result, stream=out, width=width))
    out.flush()


def render_terminal(
    result: RunResult, *, stream: TextIO | None = None, styled: bool | None = None, width: int | None = None
) -> str:
    """The run as text for ``stream`` (default standard output).

    Styled and as wide as the terminal where ``stream`` is one; ``styled`` False leaves colours out, and
    ``NO_COLOR`` does too. Elsewhere lines are 100 columns, unless ``width`` says otherwise.
    """
    console = Console(file=stream, highlight=False, emoji=False, force_terminal=styled, width=width)
    if width is None and not console.is_terminal:
        # A pipe has no width of its own; 100 columns keep a node's name and its marks on one line.
        console.width = _PIPE_COLUMNS
    with console.capture() as capture:
        shown = _harmless(result)
        console.print(_page(shown, judge(result=shown), width=console.width))
        if shown.evidence_location:
            # Whole on one line, however long, so that it can be copied.
            console.print(Text(f"\nevidence: {shown.evidence_location}", style="dim"), soft_wrap=True)
    text = capture.get()
    return text if console.is_terminal else "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _harmless(result: RunResult) -> RunResult:
    """The result without control characters: what a node says must not move the reader's cursor."""
    return RunResult.model_validate(_without_controls(result.model_dump()))


def _without_controls(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {_without_controls(key): _without_controls(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_controls(item) for item in value]
    return value


def _page(result: RunResult, judgement: Judgement, *, width: int) -> Group:
    parts: list[RenderableType] = [_verdict(result, judgement), *_blocks(result)]
    parts += [_fault(number, fault, result) for number, fault in enumerate(judgement.faults, 1)]
    parts += _open_ends(result, judgement)
    parts.append(_map(result, judgement, width=width))
    parts += _actions(result)
    parts += _footer(result, judgement)
    return Group(*parts)


def _verdict(result: RunResult, judgement: Judgement) -> Group:
    word, style = ("PASSED", "bold green") if judgement.passed else ("NOT PASSED", "bold red")
    lines = [Text(f"{word}  ", style=style) + Text(judgement.headline, style="bold")]
    if result.simulated:
        lines.insert(0, Text(SIMULATED, style="bold yellow"))
    lines += [Text(f"  {reason}") for reason in judgement.reasons if reason != judgement.headline]
    took = duration_text(result.started_at, result.finished_at)
    where = f"{result.kind} of {result.environment}, account {result.account}, {result.region}"
    lines.append(Text(f"{where}; {time_text(result.started_at)}{', ' + took if took else ''}", style="dim"))
    return Group(*lines)


def _blocks(result: RunResult) -> list[Text]:
    return [
        Text(
            f"pool {block.pool}: Capacity Block {block.reservation_id}: {block.phase}; EC2 takes the nodes "
            f"from {block.taken} on, it ends {block.end}",
            style="yellow" if block.urgent else "dim",
        )
        for block in block_views(result)
    ]


def _fault(number: int, fault: Fault, result: RunResult) -> Padding:
    head = Text(f"{number}. {fault_title(fault)}", style="bold red") + Text(
        f"  {subject_label(fault.subject, result)}"
    )
    lines: list[Text] = []
    for verdict in fault.verdicts:
        lines += _proof(verdict)
    if fault.remedy:
        lines.append(Text("Do: ", style="bold") + Text(fault.remedy))
    return Padding(Group(head, Padding(Group(*lines), (0, 0, 0, 3))), (1, 0, 0, 0))


def _proof(verdict: Verdict) -> list[Text]:
    lines = [Text(f"{verdict.check_id}  {sentence(verdict.summary)}")]
    if verdict.measured is not None and verdict.expected is not None:
        source = f" ({verdict.source})" if verdict.source else ""
        measured, expected = measure_text(verdict.measured), measure_text(verdict.expected, verdict.unit)
        lines.append(Text(f"measured {measured}, expected {expected}{source}"))
    excerpt = verdict.excerpt.splitlines()
    lines += [Text(f"│ {line}", style="dim", overflow="fold") for line in excerpt[:_EXCERPT_LINES]]
    if len(excerpt) > _EXCERPT_LINES:
        lines.append(Text(f"│ and {len(excerpt) - _EXCERPT_LINES} lines more", style="dim"))
    if sure := confidence_text(verdict.confidence):
        lines.append(Text(f"{sure}{', by these tests:' if verdict.because else ''}"))
    lines += [Text(f"│ {line}", style="dim", overflow="fold") for line in verdict.because]
    if verdict.evidence:
        lines.append(Text(f"evidence: {', '.join(verdict.evidence)}", style="dim"))
    return lines


def _open_ends(result: RunResult, judgement: Judgement) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for end in open_ends(judgement):
        who = ", ".join(subject_label(subject, result) for subject in end.subjects[:_SUBJECTS_SHOWN])
        more = len(end.subjects) - _SUBJECTS_SHOWN
        who += f" and {more} more" if more > 0 else ""
        head = Text(f"{who}: {end.said}: {', '.join(end.checks)}")
        lines.append(Padding(Group(head, Text(f"  {sentence(end.summary)}")), (0, 0, 0, 3)))
    if not lines:
        return []
    shown = lines[:_UNPROVEN_SHOWN]
    if len(lines) > len(shown):
        shown.append(
            Text(f"and {len(lines) - len(shown)} more; --format html or json shows all", style="dim")
        )
    return [Padding(Group(Text("Not proven", style="bold magenta"), *shown), (1, 0, 0, 0))]


def _map(result: RunResult, judgement: Judgement, *, width: int) -> Padding:
    """Marks by subject and check: as many tables below each other as it takes to show each check's id."""
    checks = sorted({*result.required_checks, *(v.check_id for v in result.verdicts)}, key=check_order)
    cells = _Cells(result, judgement)
    nodes = [(Subject("node", (node.node,)), node_label(node)) for node in result.nodes]
    shown = [row for row in nodes if len(nodes) <= _MAP_ROWS or not cells.well(row[0], checks)]
    others = dict.fromkeys([CLUSTER, *(v.subject for v in result.verdicts if v.subject.kind != "node")])
    rows = [*shown, *((subject, subject_label(subject, result)) for subject in others)]
    label_width = min(max(cell_len(label) for _, label in rows), max(8, width - _MAP_COLUMNS_AT_LEAST * 4))
    tables = [
        _map_table(rows, part, cells, head="node" if nodes else "", label_width=label_width)
        for part in _even_parts(checks, at_most=max(1, (width - label_width) // 4))
    ]
    left_out = len(nodes) - len(shown)
    more = [Text(f"{left_out} nodes with nothing amiss are not listed", style="dim")] if left_out else []
    legend = Text(
        "✓ passed  ✕ failed  ! no usable answer  ? not tested  ∅ no verdict  – not applicable  w waived",
        style="dim",
    )
    apart: list[RenderableType] = [tables[0], *(Padding(table, (1, 0, 0, 0)) for table in tables[1:])]
    return Padding(Group(*apart, *more, legend), (1, 0, 0, 0))


def _map_table(
    rows: list[tuple[Subject, str]], checks: list[str], cells: _Cells, *, head: str, label_width: int
) -> Table:
    """A part of the map; a subject that none of its checks is about has no row in it."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=True, header_style="dim", pad_edge=False)
    table.add_column(head, no_wrap=True, width=label_width)
    for check in checks:
        family, _, number = check.partition("-")
        table.add_column(f"{family}\n{number}", justify="center", no_wrap=True)
    for subject, label in rows:
        marks = [cells.mark(subject, check) for check in checks]
        if any(mark.plain.strip() for mark in marks):
            table.add_row(Text(label), *marks)
    return table


def _even_parts(checks: list[str], *, at_most: int) -> list[list[str]]:
    count = -(-len(checks) // at_most)
    return [checks[len(checks) * i // count : len(checks) * (i + 1) // count] for i in range(count)]


class _Cells:
    """The marks of the map; where a check has several verdicts about one subject, the worst is shown."""

    def __init__(self, result: RunResult, judgement: Judgement) -> None:
        self._outcomes: dict[tuple[Subject, str], Outcome] = {}
        for verdict in sorted(result.verdicts, key=lambda v: _WORST_LAST.index(v.outcome)):
            self._outcomes[verdict.subject, verdict.check_id] = verdict.outcome
        self._missing = {(missing.subject, missing.check_id) for missing in judgement.missing}
        self._waived = {waiver.check_id for waiver, _ in judgement.waived}

    def mark(self, subject: Subject, check: str) -> Text:
        """One mark; a blank where the check owes this subject nothing."""
        if (subject, check) in self._missing:
            return Text("∅", style="bold yellow")
        outcome = self._outcomes.get((subject, check))
        if outcome is None:
            return Text(" ")
        if check in self._waived:
            return Text("w", style="dim")
        return Text(OUTCOME_GLYPHS[outcome], style=_STYLES[outcome])

    def well(self, subject: Subject, checks: list[str]) -> bool:
        """Whether nothing is amiss with a subject."""
        return all(self.mark(subject, check).plain in {"✓", "–", "w", " "} for check in checks)


def _footer(result: RunResult, judgement: Judgement) -> list[RenderableType]:
    lines = [Text(f"note: {note}", style="yellow") for note in result.notes]
    lines += [
        Text(f"waived: {waiver.check_id} ({waiver.reason}); {_waived_words(verdicts)}", style="yellow")
        for waiver, verdicts in judgement.waived
    ]
    lines += [Text(line) for line in _findings(result)]
    lines += [Text(line, style="dim") for line in _efa(result)]
    return [Padding(Group(*lines), (1, 0, 0, 0))] if lines else []


def _efa(result: RunResult) -> list[str]:
    """What the EFA devices counted while all nodes ran together, a line a collective."""
    together = [one for one in result.bandwidths if one.scope == "all-nodes"]
    return [
        f"{collective.replace('_', '-')} over all nodes: {told}"
        for collective in dict.fromkeys(one.collective for one in together)
        if (told := efa_text([one for one in together if one.collective == collective]))
    ]


def _findings(result: RunResult) -> list[str]:
    """Each finding once, with those whom it is told of."""
    told: dict[Finding, list[str]] = {}
    for verdict in result.verdicts:
        for finding in verdict.findings:
            told.setdefault(finding, []).append(subject_label(verdict.subject, result))
    lines = []
    for finding, everybody in told.items():
        who = list(dict.fromkeys(everybody))
        more = f" and {len(who) - _SUBJECTS_SHOWN} more" if len(who) > _SUBJECTS_SHOWN else ""
        said = f"{finding.text}. {finding.remedy}".rstrip()
        lines.append(f"{finding.severity.value}: {', '.join(who[:_SUBJECTS_SHOWN])}{more}: {said}")
    return lines


def _actions(result: RunResult) -> list[RenderableType]:
    """What is done about it, how to take it back, and what is left alone."""
    parts: list[RenderableType] = []
    for title, views in (
        ("Actions", [action_view(action) for action in result.actions]),
        ("Left alone", [left_view(left, result.nodes) for left in result.left_alone]),
    ):
        if views:
            parts.append(Padding(Group(Text(title, style="bold"), *_action_lines(views)), (1, 0, 0, 0)))
        if title == "Actions" and (command := undo_command(result)):
            parts.append(Padding(Text(f"To take drains back: {command}"), (0, 0, 0, 3)))
    return parts


def _action_lines(views: list[ActionView]) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for view in views:
        head = Text(f"{view.head}: ") + Text(view.state, style=_ACTION_STYLES[view.tone])
        lines.append(Padding(Group(head, *(Text(f"  {line}") for line in view.lines)), (0, 0, 0, 3)))
    return lines


def _waived_words(verdicts: tuple[Verdict, ...]) -> str:
    counts = Counter(v.outcome for v in verdicts)
    said = ", ".join(f"{count} {OUTCOME_WORDS[o]}" for o, count in counts.items())
    return f"it said: {said}" if said else "it was not made"
