"""What the gate calls its things in Slurm, and how long they last. Whoever reads ``squeue`` or ``scontrol``
sees these.
"""

from __future__ import annotations

import os
import re
from typing import Mapping

HOLD = "bedplate-gate-"
"""The reservation by which a node holds itself, with the node's name behind it."""
PAIR = "bedplate-pair-"
"""The reservation of a pair, with the gatekeeper's host and the node's name behind it."""
HOLD_MINUTES = 30
"""Renewed by every health check; what a node that is gone leaves behind ends by itself."""
PAIR_MINUTES = 10
"""Longer than all that is done in it. What a killed gatekeeper leaves behind ends by itself."""
REASON = "bedplate gate: "
"""How a comment, or a reason, begins by which a node says that it waits."""
WAITS = f"{REASON}new, replaced or rebooted; waits for its pair"
MARK = "(gate)"
"""In the reason of a node that the gate drained, behind the check's id."""
_REASON_CHARACTERS = 180
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ._:,;()/+-]+")


def hold_of(node: str) -> str:
    """The name of the reservation by which this node holds itself."""
    return HOLD + node


def is_gate_job(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the job that a prolog runs for is the gate's: root's, in a reservation of the gate.

    slurmd gives a prolog both: seen on 22.05, and in Slurm's source since (``src/slurmd``, the environment of
    a prolog from the job's credential).
    """
    reservation = environment.get("SLURM_JOB_RESERVATION", "")
    return environment.get("SLURM_JOB_UID") == "0" and reservation.startswith((HOLD, PAIR))


def plain_reason(text: str) -> str:
    """As Slurm takes it for a reason and shows it on one line: no quotes, no line ends, not too long."""
    return " ".join(_NOT_PLAIN.sub(" ", text).split())[:_REASON_CHARACTERS].rstrip()
