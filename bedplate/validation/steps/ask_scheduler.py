"""Step 4: which nodes are idle. Nodes with jobs are left alone, and what was not tested there is never a
pass. Jobs of the run that is gone on with are waited for: they end by their own time limit.
"""

from __future__ import annotations

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.diagnosis.parsers.squeue import QueuedJob
from bedplate.node.gate.hold import gate_words
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.own_jobs import OPTION, own_jobs, seconds_until_gone
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.slurm_nodes import read_view, told_state

_DEADLINE_SECONDS = 120
_SETTLE_SECONDS = 120.0
_GATE_SECONDS = 900.0
"""A look every minute, and a second partner after the first one hung."""
_GATE_WORDS_SECONDS = 180.0
_GATE_PAUSE_SECONDS = 15.0
_SETTLE_PAUSE_SECONDS = 3.0
_OWN_JOBS_PAUSE_SECONDS = 5.0


def ask_scheduler(context: Context) -> None:
    """Find a login node that answers, match Slurm's nodes to instances by address, and say who may be
    loaded.
    """
    context.progress.phase("Ask the scheduler", 1)
    context.login_problem = "there is no login node"
    for login in context.logins:
        context.login = login.instance_id
        slurm = _after_the_gate(context)
        if slurm is not None:
            slurm = _after_own_jobs(context, slurm)
            _match(context, slurm)
            context.progress.advance(f"{len(slurm)} nodes in Slurm")
            return
    context.login = ""
    for node in context.record.nodes:
        node.why_not_loaded = (
            node.why_not_loaded or f"the scheduler could not be asked: {context.login_problem}"
        )
    context.progress.note(f"the scheduler could not be asked: {context.login_problem}")


def _after_own_jobs(context: Context, slurm: dict[str, SlurmNode]) -> dict[str, SlurmNode]:
    """The nodes once no job of the run that was cut off is on them; as they are where that takes too long."""
    jobs = _own_jobs(context) if context.nonces_before else ()
    if not jobs:
        return slurm
    seconds = seconds_until_gone(jobs)
    told = f"{len(jobs)} jobs of the run that was cut off were still there, and were waited for"
    context.progress.note(f"{told}: they end within {seconds:.0f} s")
    context.record.notes.append(f"{told}.")
    give_up = context.transport.clock() + seconds
    while jobs and context.transport.clock() < give_up:
        context.transport.sleep(_OWN_JOBS_PAUSE_SECONDS)
        jobs = _own_jobs(context)
    # A node is its job's for a moment longer than the queue has the job.
    context.transport.sleep(_OWN_JOBS_PAUSE_SECONDS)
    return _nodes_by_address(context) or slurm


def _own_jobs(context: Context) -> tuple[QueuedJob, ...]:
    """None where the queue cannot be read: nodes with jobs are left alone then, whosever those are."""
    question = Question("scheduler", (*context.slurm_option, OPTION), _DEADLINE_SECONDS)
    reply = context.transport.ask(instance_ids=[context.login], question=question)[context.login]
    return () if reply.answer is None else own_jobs(reply.answer.body, context.nonces_before) or ()


def _after_the_gate(context: Context) -> dict[str, SlurmNode] | None:
    """Slurm's nodes, once none of ours waits at the gate: a deploy is validated when its nodes have just come
    up. One that waits for longer is told as it is.
    """
    begun = context.transport.clock()
    ours = {node.private_ip for node in context.record.nodes}
    while True:
        slurm = _nodes_by_address(context)
        if slurm is None:
            return None
        waited = context.transport.clock() - begun
        waiting = [node for address, node in slurm.items() if address in ours and _waits(node, waited)]
        if not waiting:
            return slurm
        if waited < _GATE_PAUSE_SECONDS:
            context.progress.note(f"{len(waiting)} nodes wait at the gate; they are given time")
        context.transport.sleep(_GATE_PAUSE_SECONDS)


def _waits(node: SlurmNode, waited_seconds: float) -> bool:
    """By its own words; the gatekeeper gives them within a minute or two to a node that holds itself."""
    if gate_words(node):
        return waited_seconds < _GATE_SECONDS
    return "MAINTENANCE" in node.flags and not node.reason and waited_seconds < _GATE_WORDS_SECONDS


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
            words = gate_words(found)
            told = f"it waits at the gate ({words})" if words else told_state(found)
            node.why_not_loaded = node.why_not_loaded or f"{told}; it is left alone"
