"""CAP-002: the instance type is sold by way of the pool's capacity source."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.rules.source_fits_orchestrator import usable_sources


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse pairs of type and source that AWS refuses; for UltraServer types see CAP-003."""
    for index, pool in draft.pools.items():
        known = INSTANCE_TYPES.get(pool.instance_type)
        if known is None or known.needs_imex or pool.capacity.source in known.capacity_sources:
            continue
        yield Violation(
            path=("pools", index, "capacity", "source"),
            message=f"{known.name} cannot be bought as {pool.capacity.source}",
            allowed=usable_sources(draft, known.capacity_sources),
            remedy=f"Use one of the sources that {known.name} is sold by, or another instance type.",
        )


RULE = Rule(
    row=CheckRow(
        id="CAP-002",
        title="the capacity source fits the instance type",
        what="The pool's `capacity.source` is one that AWS sells its instance type by.",
        why=(
            "EC2 refuses the launch of such a pair, but only when the nodes are launched: after "
            "network and file system have been made and paid for."
        ),
        fix="Use one of the sources that the message lists, or another instance type.",
        by_hand=(
            "`aws ec2 describe-instance-types --instance-types TYPE --query "
            "'InstanceTypes[].SupportedUsageClasses'` lists on-demand, spot and capacity-block."
        ),
    ),
    check=check,
)
