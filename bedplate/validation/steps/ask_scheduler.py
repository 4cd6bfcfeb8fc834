"""Step 4: which nodes are idle. Nodes with jobs are left alone, and what was not tested there is never a
pass.
"""

from __future__ import annotations

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.diagnosis.tools import find_run
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question

SCONTROL = ("scontrol", "show", "node", "-o")
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
    if reply.answer is None:
        context.login_problem = f"login node {context.login}: {reply.problem}"
        return None
    run = find_run(answer=reply.answer.body, argv=SCONTROL)
    problem = "it did not run scontrol" if run is None else run.problem()
    if run is None or problem:
        context.login_problem = f"login node {context.login}: {problem}"
        return None
    context.evidence.keep_text("scheduler/nodes.txt", run.stdout)
    try:
        return {node.address: node for node in parse_scontrol_nodes(run.stdout)}
    except ParseError as error:
        context.login_problem = f"login node {context.login}: {error}"
        return None


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
            state = "+".join([found.state, *found.flags])
            job = " (a job runs on it)" if found.allocated else ""
            reason = f", reason: {found.reason}" if found.reason else ""
            node.why_not_loaded = node.why_not_loaded or f"Slurm says {state}{job}{reason}; it is left alone"
