"""How a node that has not passed its gate keeps jobs away: by a reservation for itself, and by its reason.

A reservation rather than a drain: ParallelCluster ends the instance of a node that is drained and idle
(aws-parallelcluster-node, ``clustermgtd``: ``terminate_drain_nodes``), and a node that waits would be
replaced by one that waits, without end. An idle node in a reservation it leaves alone.
"""

from __future__ import annotations

from typing import Optional

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.gate.names import HOLD_MINUTES, REASON, WAITS, hold_of
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


def say_waiting(node: Optional[SlurmNode], slurm: SlurmClient) -> None:
    """Say in the node's reason that it waits, where no reason is there: Slurm forgets one that was given
    before the node registered.
    """
    if node is not None and not node.reason and "DRAIN" not in node.flags:
        slurm.scontrol("update", f"NodeName={node.name}", f"Reason={WAITS}")


def is_gate_reason(reason: str) -> bool:
    """Whether the gate gave this reason, for a node that waits."""
    return reason.startswith(REASON)
