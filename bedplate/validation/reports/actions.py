"""Actions in words, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bedplate.diagnosis.verdict import Subject
from bedplate.validation.actions.model import Action, LeftAlone, State
from bedplate.validation.reports.wording import cause_title, sentence
from bedplate.validation.result import NodeResult, RunResult

_BECAUSE_SHOWN = 3
_STATES: Mapping[State, str] = {
    "planned": "planned, not done",
    "done": "done",
    "waiting": "begun, waits",
    "refused": "not done",
    "failed": "failed",
    "undone": "undone",
}


@dataclass(frozen=True)
class ActionView:
    """One action or one fault left alone: ``tone`` is done, open or bad; ``lines`` are sentences."""

    tone: str
    state: str
    head: str
    lines: tuple[str, ...]


def action_view(action: Action) -> ActionView:
    """An action for people: what, with whom, why, and how it went."""
    who = f"{action.hostname or action.slurm_name} ({action.node})".removeprefix(" ")
    sure = "" if action.confidence is None else f" (confidence {action.confidence:.0%})"
    lines = [f"{sentence(action.why)}{sure}. Shown by {', '.join(action.checks)}."]
    if action.because:
        shown = "; ".join(line.rstrip(".") for line in action.because[:_BECAUSE_SHOWN])
        more = len(action.because) - _BECAUSE_SHOWN
        lines.append(f"Because: {shown}{f'; and {more} tests more' if more > 0 else ''}.")
    if action.outcome:
        lines.append(f"{sentence(action.outcome)}.")
    if action.state in ("planned", "waiting"):
        lines += action.cautions
    tone = {"done": "done", "undone": "done", "failed": "bad", "refused": "bad"}.get(action.state, "open")
    return ActionView(
        tone, _STATES[action.state], f"{sentence(action.do)} {who}, pool {action.pool}", tuple(lines)
    )


def undo_command(result: RunResult) -> str:
    """The command that takes back what was done; empty where nothing was, or it cannot be taken back."""
    drained = any(
        action.state == "waiting" or (action.state, action.do) == ("done", "drain")
        for action in result.actions
    )
    return (
        f"bedplate undo -e {result.environment} {result.action_plan}"
        if drained and result.action_plan
        else ""
    )


def left_view(left: LeftAlone, nodes: Iterable[NodeResult] = ()) -> ActionView:
    """A fault that is left alone, with the rule that says so."""
    title = cause_title(left.cause) or f"{', '.join(left.checks)} failed"
    return ActionView(
        "open", left.rule, f"{_subject(left.subject, nodes)}: {title}", (f"{sentence(left.why)}.",)
    )


def _subject(subject: Subject, nodes: Iterable[NodeResult]) -> str:
    if not subject.names:
        return "Whole cluster"
    known = {node.node: node.hostname for node in nodes if node.hostname}
    return " ↔ ".join(f"{known[name]} ({name})" if name in known else name for name in subject.names)
