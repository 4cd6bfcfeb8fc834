"""Which checks a node must pass: what applies by the hardware table and by what the deploy promised, nothing
by a check's own wish.
"""

from __future__ import annotations

from bedplate.diagnosis.checks import CHECKS
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.hardware import InstanceType

NOTHING_PROMISED = NodeExpectation()


def required_checks(
    instance_type: InstanceType, *, nodes: int, expected: NodeExpectation = NOTHING_PROMISED
) -> tuple[str, ...]:
    """The ids of the checks that ``nodes`` nodes of a type must pass, sorted."""
    return tuple(sorted(check.id for check in CHECKS if check.owed(instance_type, expected, nodes)))
