"""Step 4: which nodes are idle. Nodes with jobs are left alone, and what was not tested there is never a
pass.
"""

from __future__ import annotations

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.slurm_nodes import read_view, told_state

_DEADLINE_SECONDS = 120
_SETTLE_SECONDS = 120.0
_SETTLE_PAUSE_SECONDS = 3.0


def ask_scheduler(context: Context) -> None:
    """Find a login node that answers, match Slurm's nodes to instances by address, and say who may be
    loaded.
    """
    context.progress.phase("Ask the scheduler", 1)
    context.login_problem = "there is no login node"
    for login in context.logins:
        context.login = login.instance_id
        slurm = _nodes_by_address(context)
        if slurm is not None:
            _match(context, slurm)
            context.progress.advance(f"{len(slurm)} nodes in Slurm")
            return
    context.login = ""
    for node in context.record.nodes:
        node.why_not_loaded = (
            node.why_not_loaded or f"the scheduler could not be asked: {context.login_problem}"
        )
    context.progress.note(f"the scheduler could not be asked: {context.login_problem}")


def wait_until_idle(context: Context, names: set[str]) -> None:
    """After a job that was stopped: wait until its nodes (Slurm names) are idle, two minutes at most.

    A node that is not idle then is loaded no more.
    """
    give_up = context.transport.clock() + _SETTLE_SECONDS
    busy: dict[str, SlurmNode] = {}
    while context.transport.clock() < give_up:
        slurm = _nodes_by_address(context)
        if slurm is None:
            return
        busy = {node.name: node for node in slurm.values() if node.name in names and not node.idle}
        if not busy:
            return
        context.transport.sleep(_SETTLE_PAUSE_SECONDS)
    for node in context.record.nodes:
        if found := busy.get(node.slurm_name):
            state = "+".join([found.state, *found.flags])
            node.held = node.held or "COMPLETING" in state
            node.why_not_loaded = (
                f"Slurm says {state} {_SETTLE_SECONDS:.0f} s after a job of this run was stopped there"
            )


def _nodes_by_address(context: Context) -> dict[str, SlurmNode] | None:
    """Private address → node; None (and ``login_problem`` set) where the login node gives no such answer."""
    question = Question("scheduler", context.slurm_option, _DEADLINE_SECONDS)
    reply = context.transport.ask(instance_ids=[context.login], question=question)[context.login]
    view = read_view(reply)
    if view.text:
        context.evidence.keep_text("scheduler/nodes.txt", view.text)
    if view.problem:
        context.login_problem = f"login node {context.login}: {view.problem}"
        return None
    return {node.address: node for node in view.nodes}


def _match(context: Context, slurm: dict[str, SlurmNode]) -> None:
    for node in context.record.nodes:
        found = slurm.get(node.private_ip)
        if found is None:
            node.why_not_loaded = (
                node.why_not_loaded or f"Slurm has no node with the address {node.private_ip}"
            )
            continue
        node.slurm_name = found.name
        if not found.idle:
            node.why_not_loaded = node.why_not_loaded or f"{told_state(found)}; it is left alone"
