"""Which way of buying goes with which instance type and orchestrator, as the rules and the plan have it.

Nothing is decided here: a pool of each kind is held against the rules of the environment file. A test holds
the outcome against a table written by hand from AWS's documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bedplate.hardware import INSTANCE_TYPES, ULTRASERVERS
from bedplate.spec.draft import Draft
from bedplate.spec.pools import Pool
from bedplate.spec.rules import RULES

_RESERVATION = "cr-0123456789abcdef0"
_GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
_PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"

WAYS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "on-demand": {"source": "on-demand"},
        "open reservation": {"source": "open-reservation"},
        "targeted reservation by id": {"source": "targeted-reservation", "reservation": _RESERVATION},
        "targeted reservation by group": {"source": "targeted-reservation", "resource_group": _GROUP},
        "targeted reservation created": {"source": "targeted-reservation", "reservation": "create"},
        "interruptible reservation": {"source": "interruptible-reservation", "reservation": _RESERVATION},
        "capacity block": {"source": "capacity-block", "reservation": _RESERVATION},
        "ultraserver block": {"source": "ultraserver-block", "reservation": _RESERVATION},
        "training plan": {"source": "training-plan", "plan": _PLAN},
        "spot": {"source": "spot"},
    }
)
"""Every way to buy a pool, by a name of its own → the pool's ``capacity``."""

KINDS = ("slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod")
"""Orchestrators that are built."""


@dataclass(frozen=True)
class Shape:
    """What a pool is made of: an instance type, alone or as part of an UltraServer."""

    name: str
    instance_type: str
    ultraserver: str | None
    nodes: int


SHAPES: tuple[Shape, ...] = (
    *(Shape(name, name, None, 9 if row.needs_imex else 8) for name, row in INSTANCE_TYPES.items()),
    *(Shape(name, row.instance_type.name, name, row.instances) for name, row in ULTRASERVERS.items()),
)
"""The instance types, and the UltraServers."""


def pool_of(shape: Shape, way: str) -> Pool:
    """The plainest pool of a shape that is bought in this way."""
    data: dict[str, Any] = {
        "name": "pool",
        "instance_type": shape.instance_type,
        "ultraserver": shape.ultraserver,
        "nodes": shape.nodes,
        "capacity": dict(WAYS[way]),
    }
    return Pool.model_validate(data)


def refusals(*, pool: Pool, kind: str) -> tuple[str, ...]:
    """Ids of the rules that refuse the pool under this orchestrator, sorted; none where it is legal."""
    draft = Draft(pools={0: pool}, orchestrator_kind=kind)
    return tuple(sorted({rule.row.id for rule in RULES if any(rule.check(draft))}))
