"""How things stand now: which instances run, and what Slurm says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.set_nodes import REASON_PREFIX
from bedplate.validation.instance import Instance

OUT_OF_SERVICE = frozenset({"DOWN", "FAIL", "FAILING", "ERROR", "FUTURE"})
_OUT_FLAGS = frozenset(
    {"DRAIN", "FAIL", "MAINT", "MAINTENANCE", "NOT_RESPONDING", "INVALID_REG", "POWERING_DOWN"}
)
_BUSY = frozenset({"ALLOCATED", "MIXED", "COMPLETING"})


@dataclass(frozen=True)
class Live:
    """``instances``: pool → those that run, by id; ``slurm``: private address → Slurm's node, or
    another ``scheduler``'s in the same words.
    """

    instances: Mapping[str, Mapping[str, Instance]]
    slurm: Mapping[str, SlurmNode] = field(default_factory=dict)
    scheduler: str = "Slurm"

    def instance(self, pool: str, node: str) -> Instance | None:
        """The instance, if it still runs in its pool."""
        return self.instances.get(pool, {}).get(node)

    def out_of_service(self, pool: str) -> int:
        """How many nodes of a pool take no jobs now, whoever drained them."""
        return sum(
            is_out(found)
            for one in self.instances.get(pool, {}).values()
            if (found := self.slurm.get(one.private_ip)) is not None
        )


def is_out(node: SlurmNode) -> bool:
    """Whether Slurm places no job on the node now."""
    return node.state in OUT_OF_SERVICE or bool(_OUT_FLAGS & set(node.flags))


def is_drained(node: SlurmNode) -> bool:
    """Whether somebody has drained the node: its jobs may still run."""
    return "DRAIN" in node.flags


def is_busy(node: SlurmNode) -> bool:
    """Whether a job runs on the node, or its epilog does."""
    return bool(node.allocated) or node.state in _BUSY or bool(_BUSY & set(node.flags))


def is_ours(reason: str) -> bool:
    """Whether a reason is one that we gave."""
    return reason.startswith(REASON_PREFIX)


def is_drained_by_us(node: SlurmNode | None, name: str) -> bool:
    """Whether Slurm's node is the one of this name, and drained with a reason that we gave."""
    return node is not None and node.name == name and is_drained(node) and is_ours(node.reason)
