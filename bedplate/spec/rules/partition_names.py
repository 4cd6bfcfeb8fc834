"""ORC-003: partition names are unique, and not Slurm's own word."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second partition of a name, and the name `default`."""
    first: dict[str, int] = {}
    for index, partition in draft.partitions.items():
        name, path = partition.name, ("orchestrator", "partitions", index, "name")
        if name == "default":
            yield Violation(
                path=path,
                message="Slurm keeps the name 'default' for itself",
                allowed="any other name",
                remedy="Call it otherwise, and write `default: true` for where jobs go that name none.",
            )
        elif name in first:
            yield Violation(
                path=path,
                message=f"partition {first[name] + 1} is called '{name}' already",
                allowed="a name of its own for each partition",
                remedy="Call one of them otherwise, or list the pools of both in one.",
            )
        first.setdefault(name, index)


RULE = Rule(
    row=CheckRow(
        id="ORC-003",
        title="partition names are unique and free",
        what="No two partitions have the same `name`, and none is called `default`.",
        why=(
            "AWS PCS refuses a second queue of a name. In slurm.conf, `PartitionName=DEFAULT` "
            "sets defaults for the partitions after it and makes none."
        ),
        fix="Call it otherwise.",
        by_hand="`scontrol show partition` on the login node lists the partitions.",
    ),
    check=check,
)
