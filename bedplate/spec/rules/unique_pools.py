"""ORC-001: pool names are unique."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second pool of a name."""
    first: dict[str, int] = {}
    for index, name in draft.pool_names.items():
        if name in first:
            yield Violation(
                path=("pools", index, "name"),
                message=f"pool {first[name] + 1} is called '{name}' already",
                allowed="a name of its own for each pool",
                remedy=f"Call one of them otherwise, such as {name}-2, and name it in a partition.",
            )
        first.setdefault(name, index)


RULE = Rule(
    row=CheckRow(
        id="ORC-001",
        title="pool names are unique",
        what="No two pools have the same `name`.",
        why=(
            "The name becomes the name of the node group and of its nodes in Slurm. AWS PCS "
            "refuses the second group, and partitions could not tell which pool is meant."
        ),
        fix="Call one of them otherwise.",
        by_hand=(
            "`aws pcs list-compute-node-groups --cluster-identifier …` lists the groups that are there."
        ),
    ),
    check=check,
)
