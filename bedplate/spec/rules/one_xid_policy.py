"""VAL-006: an Xid has one policy."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second policy of an Xid."""
    first: dict[int, int] = {}
    for index, entry in draft.xid_policies.items():
        if entry.xid in first:
            yield Violation(
                path=("validation", "xid_policies", index, "xid"),
                message=f"Xid {entry.xid} has a policy already, in entry {first[entry.xid] + 1}",
                allowed="one policy for an Xid",
                remedy="Keep the one whose reason holds.",
            )
        first.setdefault(entry.xid, index)


RULE = Rule(
    row=CheckRow(
        id="VAL-006",
        title="an Xid has one policy",
        what="No Xid stands in two entries of `validation.xid_policies`.",
        why="Whether a node is given up cannot depend on which of two entries is read last.",
        fix="Keep one of the two.",
        by_hand="Read `validation.xid_policies` in the file; `bedplate explain GPU-004` says what a policy "
        "does.",
    ),
    check=check,
)
