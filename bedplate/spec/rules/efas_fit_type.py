"""CAP-014: the number of EFAs is given only where the type leaves a choice."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse ``efas`` for types that have one right number of them."""
    for index, pool in draft.pools.items():
        known = INSTANCE_TYPES.get(pool.instance_type)
        if known is None or pool.efas is None:
            continue
        counts = sorted({layout.efa_count for layout in known.layouts})
        if len(counts) == 1:
            yield Violation(
                path=("pools", index, "efas"),
                message=f"{known.name} has {counts[0]} EFA{'s' if counts[0] > 1 else ''}, "
                "and there is nothing to choose",
                allowed="no `efas` for this type",
                remedy="Take `efas` away.",
            )


RULE = Rule(
    row=CheckRow(
        id="CAP-014",
        title="the number of EFAs is chosen on GB200 only",
        what="`efas` is given for p6e-gb200.36xlarge and for no other type.",
        why=(
            "Each GPU of GB200 reaches 400 Gbps of EFA by one interface, or by two of 200 Gbps. All "
            "other types have one right number, and fewer would be bandwidth that is paid for and "
            "not there."
        ),
        fix="Take `efas` away.",
        by_hand='See "EFA configuration for P6e-GB200 instances" in the EC2 User Guide.',
    ),
    check=check,
)
