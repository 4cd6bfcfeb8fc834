"""A check as the engine knows it: its explanation, when it is made, what it is about, where it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

PROBE = "probe"
"""Judged by the node's passive facts, by ``judge``."""
EXERCISE = "exercise"
"""Judged by what the node did under load, by ``judge``."""
ENGINE = "engine"
"""The engine makes the verdict itself, from more than one node's answer to one question."""

Applies = Callable[[InstanceType, int], bool]
Promised = Callable[[NodeExpectation], bool]


def always(_instance_type: InstanceType, _nodes: int) -> bool:
    """Every type has it."""
    return True


def has_efa(instance_type: InstanceType, _nodes: int) -> bool:
    """The type has EFA devices."""
    return instance_type.efa_count > 0


def efa_between_nodes(instance_type: InstanceType, nodes: int) -> bool:
    """There are two nodes or more, of a type with EFA."""
    return instance_type.efa_count > 0 and nodes > 1


def unasked(_expected: NodeExpectation) -> bool:
    """Every deploy owes it."""
    return True


@dataclass(frozen=True)
class Check:
    """One file of ``bedplate.diagnosis.checks`` has one of these, named ``CHECK``.

    ``applies(instance_type, nodes)`` says by the hardware table whether there is anything to ask; ``nodes``
    is how many nodes there are. ``promised(expected)`` says whether this deploy promised it or asked for
    it: without a promise there is no verdict at all, while a promise of a part that the type does not have
    is not-applicable. ``judge`` is there for ``probe`` and ``exercise`` checks. ``subject`` is ``node`` (each
    node is owed a verdict) or ``cluster``. ``keeps_out`` says whether a node that fails it is left out of
    tests with others, where it would spoil them or be blamed twice; a wrong clock does neither.
    """

    row: CheckRow
    stage: str
    applies: Applies = always
    promised: Promised = unasked
    judge: Optional[Callable[[NodeFacts], Verdict]] = None  # noqa: UP045 - evaluated on Python 3.9
    subject: str = "node"
    keeps_out: bool = True

    @property
    def id(self) -> str:
        """The check's id."""
        return self.row.id

    def owed(self, instance_type: InstanceType, expected: NodeExpectation, nodes: int) -> bool:
        """Whether a node (or the cluster) must pass it."""
        return self.promised(expected) and self.applies(instance_type, nodes)
