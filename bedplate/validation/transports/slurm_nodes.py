"""What Slurm says about its nodes, and what that means for a question to one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.diagnosis.tools import find_run
from bedplate.validation.transports.reply import Reply

SCONTROL = ("scontrol", "show", "node", "-o")
_GONE = frozenset({"DOWN", "NOT_RESPONDING", "FAIL", "POWERED_DOWN", "POWERING_DOWN", "ERROR"})
"""Nothing that Slurm starts would reach the node, and nobody asked for that."""
_GPUS = re.compile(r"(?:^|,)gpu(?::[^:,()]+)?:(\d+)")


@dataclass(frozen=True)
class SlurmView:
    """Slurm's nodes as a login node tells of them, or why it does not."""

    text: str = ""
    nodes: tuple[SlurmNode, ...] = ()
    problem: str = ""


def read_view(reply: Reply) -> SlurmView:
    """From the reply to ``scheduler``."""
    if reply.answer is None:
        return SlurmView(problem=reply.problem)
    run = find_run(answer=reply.answer.body, argv=SCONTROL)
    problem = "it did not run scontrol" if run is None else run.problem()
    if run is None or problem:
        return SlurmView(problem=str(problem))
    try:
        return SlurmView(run.stdout, parse_scontrol_nodes(run.stdout))
    except ParseError as error:
        return SlurmView(run.stdout, problem=str(error))


def told_state(node: SlurmNode) -> str:
    """State, whether a job runs there, and the reason that somebody gave."""
    state = "+".join([node.state, *node.flags])
    job = " (a job runs on it)" if node.allocated else ""
    return f"Slurm says {state}{job}{f', reason: {node.reason}' if node.reason else ''}"


def is_gone(node: SlurmNode) -> bool:
    """Whether no job could reach it; one that is busy, reserved or drained is well for all we know."""
    return bool(_GONE & {node.state, *node.flags})


def is_ending(node: SlurmNode) -> bool:
    """Whether a job has just ended there, so that the node is idle in a moment."""
    words = {node.state, *node.flags}
    return "COMPLETING" in words and not is_gone(node) and not {"DRAIN", "DRAINED", "DRAINING"} & words


def gpu_count(node: SlurmNode) -> int | None:
    """How many GPUs a job may ask for there; None where Slurm does not say."""
    found = [int(count) for count in _GPUS.findall(node.gres)]
    return sum(found) if found else None
