"""CAP-001: the instance type of a pool is one that Bedplate knows."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES, UnknownInstanceType, instance_type
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse types that are not in the hardware table."""
    for index, pool in draft.pools.items():
        named: list[tuple[Path, str]] = [(("pools", index, "instance_type"), pool.instance_type)]
        named += [
            (("pools", index, "alternative_types", position), name)
            for position, name in enumerate(pool.alternative_types)
        ]
        for path, name in named:
            try:
                instance_type(name)
            except UnknownInstanceType as error:
                yield Violation(
                    path=path,
                    message=f"'{name}' is no instance type that Bedplate knows",
                    allowed=", ".join(sorted(INSTANCE_TYPES)),
                    remedy=f"Did you mean '{error.nearest}'?",
                )


RULE = Rule(
    row=CheckRow(
        id="CAP-001",
        title="the instance type is known",
        what=(
            "A pool's `instance_type`, and every one of its `alternative_types`, is in the table of "
            "`bedplate.hardware`."
        ),
        why=(
            "The exact layout of network interfaces, the number of GPUs and EFA devices that "
            "validation expects, and what the type can be bought by are data for each type. A "
            "type without data would be launched with a guess, and its checks could not fail."
        ),
        fix=(
            "Use one of the types that the message lists. Mind the hyphens: it is "
            "`p6-b200.48xlarge`, but `p5en.48xlarge`."
        ),
        by_hand=(
            "`aws ec2 describe-instance-types --instance-types TYPE` shows whether AWS has the type at all."
        ),
    ),
    check=check,
)
