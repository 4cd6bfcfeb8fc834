"""CAP-012: a pool of an UltraServer type says which UltraServer, and no other pool does."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES, ultraservers_of
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a missing UltraServer, and one that is not made of the pool's type."""
    for index, pool in draft.pools.items():
        if pool.instance_type not in INSTANCE_TYPES:
            continue
        names = [each.name for each in ultraservers_of(pool.instance_type)]
        if names and pool.ultraserver is None:
            yield Violation(
                path=("pools", index, "instance_type"),
                message=f"{pool.instance_type} is sold by the UltraServer, and the pool does not say which",
                allowed=f"`ultraserver: {'` or `ultraserver: '.join(names)}`",
                remedy="Give `ultraserver`: the one that the block was bought for.",
            )
        elif pool.ultraserver is not None and pool.ultraserver not in names:
            yield Violation(
                path=("pools", index, "ultraserver"),
                message=f"{pool.ultraserver} is not made of {pool.instance_type}",
                allowed="no `ultraserver` for this type",
                remedy="Take `ultraserver` away, or use `instance_type: p6e-gb200.36xlarge`.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-012",
        title="UltraServer pools name their UltraServer",
        what=("`ultraserver` is given where the instance type is p6e-gb200.36xlarge, and for no other type."),
        why=(
            "Nine or eighteen instances share one NVLink domain, depending on what was bought. How "
            "many nodes are whole UltraServers, and which of them reach each other over NVLink, "
            "follows from it."
        ),
        fix="Give `u-p6e-gb200x36` or `u-p6e-gb200x72`, as it was bought.",
        by_hand="`aws ec2 describe-capacity-blocks` shows the UltraServer type that was bought.",
    ),
    check=check,
)
