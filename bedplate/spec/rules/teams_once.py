"""ORC-013: teams have names of their own, and partitions name teams that exist."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

RESERVED = ("root", "default")
"""Accounts that Slurm itself has, or that people take for such."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second of a name, Slurm's own names, and unknown teams of a partition."""
    first: dict[str, int] = {}
    for index, name in draft.team_names.items():
        if name in RESERVED:
            yield Violation(
                path=("orchestrator", "teams", index, "name"),
                message=f"'{name}' is an account of Slurm's own",
                allowed="any other name",
                remedy="Choose another name.",
            )
        elif first.setdefault(name, index) != index:
            yield Violation(
                path=("orchestrator", "teams", index, "name"),
                message=f"there is a team '{name}' already",
                allowed="names that no other team has",
                remedy="Choose another name, or join the two.",
            )
    names = list(first)
    for index, partition in draft.partitions.items():
        for item, name in enumerate(partition.teams):
            if name in names:
                continue
            close = get_close_matches(name, names, n=1, cutoff=0.5)
            yield Violation(
                path=("orchestrator", "partitions", index, "teams", item),
                message=f"there is no team '{name}'",
                allowed=", ".join(names) or "no teams: the file has none",
                remedy=f"Did you mean '{close[0]}'?"
                if close
                else "Name a team of this file, or add the team.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-013",
        title="teams are told apart, and partitions name teams that exist",
        what=(
            "No two of `orchestrator.teams` have one name, none is called as an account of Slurm's own, and "
            "every name in a partition's `teams` is a team's."
        ),
        why=(
            "Each team is a Slurm account. Two of one name would be one account with the later one's share; "
            "a partition for an account that is not there takes nobody's jobs."
        ),
        fix="Correct the name, or add the team.",
        by_hand="`sacctmgr show account` on the login node lists the accounts.",
    ),
    check=check,
)
