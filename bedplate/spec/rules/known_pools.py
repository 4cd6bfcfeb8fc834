"""ORC-002: partitions are made of pools that exist."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse names that no pool has."""
    names = list(dict.fromkeys(draft.pool_names.values()))
    for index, partition in draft.partitions.items():
        for item, name in enumerate(partition.pools):
            if name in names or not names:
                continue
            close = get_close_matches(name, names, n=1, cutoff=0.5)
            yield Violation(
                path=("orchestrator", "partitions", index, "pools", item),
                message=f"there is no pool '{name}'",
                allowed=", ".join(names),
                remedy=f"Did you mean '{close[0]}'?"
                if close
                else "Name a pool of this file, or add the pool.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-002",
        title="partitions name pools that exist",
        what="Every name in a partition's `pools` is the name of a pool.",
        why="A partition of a pool that is not there has no nodes, and its jobs wait for ever.",
        fix="Correct the name, or add the pool.",
        by_hand="`sinfo` on the login node lists partitions and their nodes.",
    ),
    check=check,
)
