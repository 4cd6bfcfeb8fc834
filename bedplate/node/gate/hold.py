"""How a node that has not passed its gate keeps jobs away: by a reservation for itself; and where it says so.

A reservation rather than a drain: ParallelCluster ends the instance of a node that is drained and idle
(aws-parallelcluster-node, ``clustermgtd``: ``terminate_drain_nodes``), and a node that waits would be
replaced by one that waits, without end. An idle node in a reservation it leaves alone.

Slurm keeps a reason for nodes that are drained or down alone (seen on 22.05). So why a node waits stands in
its comment, and in its reason only where its prolog had to drain it.
"""

from __future__ import annotations

from typing import Optional

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.names import HOLD_MINUTES, REASON, WAITS, hold_of, plain_reason
from bedplate.node.slurm_client import SlurmClient


def hold(node: str, slurm: SlurmClient) -> bool:
    """Make the reservation, or let it last on; whether Slurm took it. Jobs that run there go on.

    Slurm runs the health check before slurmd registers for the first time, so that the reservation is there
    before the node is (slurm.conf(5), HealthCheckProgram; seen on 22.05).
    """
    name = hold_of(node)
    made = slurm.scontrol(
        "create",
        "reservation",
        f"ReservationName={name}",
        f"Nodes={node}",
        "Users=root",
        "StartTime=now",
        f"Duration={HOLD_MINUTES}",
        "Flags=MAINT,IGNORE_JOBS",
        quiet=True,
    )
    if made.rc == 0:
        return True
    until = f"EndTime=now+{HOLD_MINUTES}minutes"
    return slurm.scontrol("update", "reservation", f"ReservationName={name}", until).rc == 0


def say(node: Optional[SlurmNode], slurm: SlurmClient, words: str = "") -> None:
    """Say in the node's comment why it waits; without ``words`` only that it does. A comment of somebody else
    stays.
    """
    if node is None or (node.comment and not is_gate_reason(node.comment)):
        return
    text = plain_reason(words) if words else node.comment or WAITS
    if text != node.comment:
        slurm.scontrol("update", f"NodeName={node.name}", f"Comment={text}")


def is_gate_reason(reason: str) -> bool:
    """Whether the gate gave this reason, or this comment, for a node that waits."""
    return reason.startswith(REASON)


def gate_words(node: SlurmNode) -> str:
    """Why a node waits at the gate, as it says in Slurm; empty where it does not, or is drained besides."""
    told = node.reason if "DRAIN" in node.flags else node.comment
    return told if is_gate_reason(told) else ""
