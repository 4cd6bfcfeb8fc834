"""After a job that did not end well: its nodes are loaded again only where they are seen to be free.

A collective that was stopped may leave processes on its GPUs, and whatever runs there next is slow or out of
memory for a reason of the round before. So Slurm must call the nodes idle, and each node's driver must say
that no process is on its GPUs; who does not show it is loaded no more in this run.
"""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.parsers.compute_apps import parse_compute_apps
from bedplate.diagnosis.reading import read_tool
from bedplate.diagnosis.tools import COMPUTE_APPS
from bedplate.validation.deadlines import deadlines
from bedplate.validation.record import Node
from bedplate.validation.steps.ask_scheduler import wait_until_idle
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

_ANSWER_SECONDS = 60
_STAYED = "processes stayed on its GPUs"


def settle(context: Context, nodes: Sequence[Node]) -> None:
    """Wait until these nodes are free, and take those that are not out of every later test."""
    wait_until_idle(context, {node.slurm_name for node in nodes})
    left = {node.node: node for node in nodes if not node.why_not_loaded}
    if not left:
        return
    wait = deadlines(simulated=context.record.simulated).settle_seconds
    question = Question(
        "gpu-processes", ("--wait-seconds", f"{wait:g}"), deadline_seconds=int(wait) + _ANSWER_SECONDS
    )
    replies = context.transport.ask(instance_ids=list(left), question=question)
    for name, node in left.items():
        problem = _problem(context, replies[name])
        if problem:
            node.held = problem.startswith(_STAYED)
            node.why_not_loaded = f"after a job of this run was stopped there, {problem}"
            context.progress.note(f"{name}: {node.why_not_loaded}")


def _problem(context: Context, reply: Reply) -> str:
    """Why the node's GPUs are not seen to be free, in words; empty where they are."""
    if reply.answer is None:
        return f"it does not say whether its GPUs are free: {reply.problem}"
    context.evidence.keep_json(f"nodes/{reply.instance_id}/gpu-processes.json", reply.answer.body)
    reading = read_tool(answer=reply.answer.body, argv=COMPUTE_APPS, parse=parse_compute_apps)
    if reading.record is None or reading.problem:
        return f"it does not say whether its GPUs are free: {reading.problem}"
    if reading.record:
        told = ", ".join(sorted({f"{app.name} (pid {app.pid})" for app in reading.record})[:3])
        return f"{_STAYED}: {told}"
    return ""
