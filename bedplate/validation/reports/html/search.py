"""The rounds of the search between nodes, as groups that ran at once."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.validation.reports.html.names import Names, NodeName, name_of
from bedplate.validation.reports.wording import number_text
from bedplate.validation.result import RunResult


@dataclass(frozen=True)
class GroupView:
    """One group: its nodes, whether it failed or its test said nothing, and what was measured (empty where
    nothing was).
    """

    nodes: tuple[NodeName, ...]
    failed: bool
    unheard: bool
    measured: str


@dataclass(frozen=True)
class RoundView:
    """One round; groups that failed come first."""

    number: int
    purpose: str
    groups: tuple[GroupView, ...]
    failed: int


def round_views(result: RunResult, names: Names) -> tuple[RoundView, ...]:
    """The rounds in order, each group with the bandwidth of the run over exactly its nodes."""
    measured: dict[frozenset[str], list[float]] = {}
    for b in result.bandwidths:
        if b.scope == "pair":
            measured.setdefault(frozenset(b.nodes), []).append(b.busbw_gb_per_s)
    views = []
    for a_round in result.rounds:
        groups = [
            GroupView(
                tuple(name_of(node, names) for node in group),
                index in a_round.failed,
                index in a_round.unheard,
                _measured(measured.get(frozenset(group), [])),
            )
            for index, group in enumerate(a_round.groups)
        ]
        groups.sort(key=lambda group: (not group.failed, not group.unheard))
        views.append(RoundView(a_round.number, a_round.purpose, tuple(groups), len(set(a_round.failed))))
    return tuple(views)


def _measured(values: list[float]) -> str:
    # Two runs over the same nodes cannot be told apart here; then none is shown.
    return f"{number_text(values[0])} GB/s" if len(values) == 1 else ""
