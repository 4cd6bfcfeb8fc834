"""Taking a plan back: drains that are still ours are lifted; an instance that was ended stays ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from bedplate.node.set_nodes import Change
from bedplate.validation.actions.cluster import Cluster
from bedplate.validation.actions.journal import Journals
from bedplate.validation.actions.live import is_drained
from bedplate.validation.actions.model import Action, ActionPlan, State, Step


@dataclass(frozen=True)
class Undoing:
    """One node: whether its drain is lifted, and why not."""

    action: Action
    name: str
    address: str
    lifts: bool
    why: str


def plan_undo(*, plan: ActionPlan, cluster: Cluster) -> tuple[Undoing, ...]:
    """What an undo would do, by what Slurm says now. Raises ``BedplateError`` ACT-003."""
    by_name = {node.name: node for node in cluster.slurm().values()}
    found = []
    for action in plan.actions:
        node = by_name.get(action.slurm_name)
        ended = action.waits_for == "instance" or bool(action.replaced_by)
        note = f"; {action.node} was ended and does not come back" if ended else ""
        if node is None:
            row = Undoing(
                action,
                action.slurm_name,
                action.private_ip,
                False,
                f"{cluster.scheduler} has no such node{note}",
            )
        elif not is_drained(node):
            row = Undoing(action, node.name, node.address, False, f"it is not drained{note}")
        elif not node.reason.startswith(action.reason):
            why = f"it is drained for another reason: {node.reason or 'none'}{note}"
            row = Undoing(action, node.name, node.address, False, why)
        else:
            row = Undoing(action, node.name, node.address, True, f"drained by this plan{note}")
        found.append(row)
    return tuple(found)


def undo(*, plan: ActionPlan, cluster: Cluster, journals: Journals) -> ActionPlan:
    """Lift the drains of a plan, prove it by Slurm's own word, and write it down."""
    rows = plan_undo(plan=plan, cluster=cluster)
    changes = [Change(row.name, row.address, "UNDRAIN", row.action.reason) for row in rows if row.lifts]
    problems, after = cluster.change(changes) if changes else ({}, {})
    by_name = {node.name: node for node in after.values()}
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    told = {}
    for row in rows:
        node = by_name.get(row.name)
        problem = problems.get(row.name, "") if row.lifts else row.why
        if row.lifts and not problem and (node is None or is_drained(node)):
            problem = f"it was asked for, and {cluster.scheduler} still shows the drain"
        lifted = row.lifts and not problem
        what = f"the drain of {row.name} is lifted" if lifted else f"left as it is: {problem}"
        step = Step(at=moment, what=what, well=lifted or not row.lifts)
        update = {"steps": (*row.action.steps, step), "outcome": what, "waits_for": ""}
        told[row.action.node] = row.action.model_copy(update={**update, "state": _state(row, lifted=lifted)})
    undone = plan.model_copy(update={"actions": tuple(told.get(one.node, one) for one in plan.actions)})
    journals.keep(undone, undone_at=moment)
    return undone


def _state(row: Undoing, *, lifted: bool) -> State:
    if lifted or (not row.lifts and row.action.state == "waiting"):
        return "undone"
    return "failed" if row.lifts else row.action.state
