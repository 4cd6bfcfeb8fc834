"""What smaller groups of the same nodes reach: the measure where nothing absolute holds for all together.

A published figure over EFA holds for its own node count and for fewer. So where there is none for all nodes
of a pool, the largest groups that a figure does hold for are run, all at once: they are held to the figure,
and all nodes together to them. Where no figure holds for any group, halves of the nodes are the measure, and
the verdict says that nothing absolute was proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.bandwidth_expectation import (
    BASELINE,
    ENOUGH_PEERS,
    PUBLISHED,
    RELATIVE,
    Reference,
    Shape,
    expectations,
)
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import EFA, InstanceType
from bedplate.hardware.bandwidth.floor import published_for
from bedplate.manifest import PoolManifest
from bedplate.validation.deadlines import deadlines
from bedplate.validation.fabric.observation import History
from bedplate.validation.record import Node
from bedplate.validation.steps.collective_tests import efa_path, run_groups
from bedplate.validation.steps.context import Context

_PAIR = 2


@dataclass(frozen=True)
class Groups:
    """What the groups said: ``reference`` is None where too few of them could be measured, ``failed`` holds
    the verdicts of those that were below a floor of their own.
    """

    reference: Reference | None = None
    failed: tuple[Verdict, ...] = ()


def is_absolute(
    context: Context, pool: PoolManifest, collective: str, nodes: int, *, path: str | None = None
) -> bool:
    """Whether a published figure or the stored baseline says what so many nodes must reach.

    ``path`` is ``nvlink`` for NVLink between nodes; left out, EFA carries it.
    """
    hardware = pool.hardware
    path = path or efa_path(hardware)
    asked = expectations(
        shape=Shape(hardware, collective, nodes, path),
        accepted=context.record.accepted(pool, collective, nodes, path),
    )
    return asked[-1].basis in (PUBLISHED, BASELINE)


def group_size(hardware: InstanceType, collective: str, nodes: int, *, path: str = EFA) -> int:
    """How many nodes stand in each group: as many as a published figure holds for, half of all at most.

    Over NVLink a figure holds for its own node count alone.
    """
    half = max(nodes // 2, _PAIR)
    published = [
        row.nodes
        for row in published_for(instance=hardware, collective=collective, path=path)
        if row.nodes > 1 and (path == EFA or row.nodes <= half)
    ]
    return min(max(published, default=half), half)


def measure_groups(
    context: Context,
    pool: PoolManifest,
    nodes: Sequence[Node],
    collective: str,
    *,
    history: History,
    history_collective: str,
    path: str | None = None,
) -> Groups:
    """Run the groups that are needed, or take the search's own pairs where they are of this collective."""
    size = group_size(pool.hardware, collective, len(nodes), path=path or EFA)
    if len(nodes) <= _PAIR:
        return Groups()
    if size == _PAIR and history_collective == collective:
        return Groups(_of_pairs(context, pool, nodes, collective, history))
    rounds = _rounds(nodes, size)
    values: list[float] = []
    failed: list[Verdict] = []
    floor: float | None = None
    for number, groups in enumerate(rounds, start=1):
        context.progress.phase(f"Groups of {size} nodes, to compare all {len(nodes)} with", len(groups))
        for test in run_groups(
            context,
            name=f"groups/{pool.name}-{collective}{'-' + path if path else ''}/{number:02}",
            groups=groups,
            collective=collective,
            scope="group",
            deadline_seconds=deadlines(simulated=context.record.simulated).all_nodes_seconds,
            path=path,
        ):
            context.progress.advance(collective)
            seen = test.judgement
            if seen is None:
                continue
            if seen.bandwidth.outcome is Outcome.FAIL or seen.transport.outcome is Outcome.FAIL:
                worse = seen.transport if seen.transport.outcome is Outcome.FAIL else seen.bandwidth
                failed.append(worse)
            elif seen.busbw_gb_per_s is not None and seen.transport.outcome is Outcome.PASS:
                values.append(seen.busbw_gb_per_s)
                if seen.expected[-1].basis not in ("", RELATIVE):
                    floor = seen.expected[-1].floor_gb_per_s
    return Groups(_reference(size, values, floor), tuple(failed))


def _rounds(nodes: Sequence[Node], size: int) -> list[list[Sequence[Node]]]:
    """Disjoint groups in one round; where only one fits, two that overlap, one after the other."""
    groups = [nodes[start : start + size] for start in range(0, len(nodes) - size + 1, size)]
    if len(groups) >= ENOUGH_PEERS:
        return [groups]
    return [[nodes[:size]], [nodes[-size:]]]


def _of_pairs(
    context: Context, pool: PoolManifest, nodes: Sequence[Node], collective: str, history: History
) -> Reference | None:
    """The search's pairs of nodes that are all among those that it cleared."""
    cleared = {node.node for node in nodes}
    values = [
        seen.busbw_gb_per_s
        for finished in history
        for seen in finished.observations
        if seen.busbw_gb_per_s is not None and set(seen.group) <= cleared
    ]
    path = efa_path(pool.hardware)
    asked = expectations(
        shape=Shape(pool.hardware, collective, _PAIR, path),
        accepted=context.record.accepted(pool, collective, _PAIR, path),
    )
    floor = asked[-1].floor_gb_per_s
    return _reference(_PAIR, values, floor if floor is not None and min(values, default=0) >= floor else None)


def _reference(size: int, values: Sequence[float], floor: float | None) -> Reference | None:
    return Reference(size, tuple(values), floor) if len(values) >= ENOUGH_PEERS else None
