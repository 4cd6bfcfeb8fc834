"""ORC-001: pool names are unique."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second pool of a name; hyphens do not tell names apart, for logical ids have none."""
    first: dict[str, int] = {}
    names = draft.pool_names
    for index, name in names.items():
        letters = name.replace("-", "")
        if letters in first:
            yield Violation(
                path=("pools", index, "name"),
                message=f"pool {first[letters] + 1} is called '{names[first[letters]]}' already"
                + ("" if name == names[first[letters]] else "; hyphens do not tell names apart"),
                allowed="a name of its own for each pool",
                remedy=f"Call one of them otherwise, such as {name}-b, and name it in a partition.",
            )
        first.setdefault(letters, index)


RULE = Rule(
    row=CheckRow(
        id="ORC-001",
        title="pool names are unique",
        what="No two pools have the same `name`, nor names that differ by hyphens alone.",
        why=(
            "The name becomes the name of the orchestrator's group and of its nodes in Slurm. The second "
            "group is refused, and partitions could not tell which pool is meant."
        ),
        fix="Call one of them otherwise.",
        by_hand=(
            "`scontrol show nodes` on the login node, or for AWS PCS `aws pcs list-compute-node-groups "
            "--cluster-identifier …`, lists what is there."
        ),
    ),
    check=check,
)
