"""ORC-003: partition names are unique, and not Slurm's own word."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second partition of a name, and the name `default`."""
    first: dict[str, int] = {}
    names = {index: partition.name for index, partition in draft.partitions.items()}
    for index, partition in draft.partitions.items():
        name, path = partition.name, ("orchestrator", "partitions", index, "name")
        letters = name.replace("-", "")
        if name == "default":
            yield Violation(
                path=path,
                message="Slurm keeps the name 'default' for itself",
                allowed="any other name",
                remedy="Call it otherwise, and write `default: true` for where jobs go that name none.",
            )
        elif letters in first:
            yield Violation(
                path=path,
                message=f"partition {first[letters] + 1} is called '{names[first[letters]]}' already"
                + ("" if name == names[first[letters]] else "; hyphens do not tell names apart"),
                allowed="a name of its own for each partition",
                remedy="Call one of them otherwise, or list the pools of both in one.",
            )
        first.setdefault(letters, index)


RULE = Rule(
    row=CheckRow(
        id="ORC-003",
        title="partition names are unique and free",
        what=(
            "No two partitions have the same `name`, nor names that differ by hyphens alone, and "
            "none is called `default`."
        ),
        why=(
            "A second queue of a name is refused by AWS PCS and ParallelCluster. In slurm.conf, "
            "`PartitionName=DEFAULT` sets defaults for the partitions after it and makes none."
        ),
        fix="Call it otherwise.",
        by_hand="`scontrol show partition` on the login node lists the partitions.",
    ),
    check=check,
)
