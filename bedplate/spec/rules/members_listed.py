"""ORC-017: members of teams are users of the list, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse members that no node would know."""
    names = list(draft.user_names.values())
    if not names:
        return
    for index, team in draft.teams.items():
        for item, name in enumerate(team.users):
            if name in names:
                continue
            close = get_close_matches(name, names, n=1, cutoff=0.5)
            yield Violation(
                path=("orchestrator", "teams", index, "users", item),
                message=f"there is no user '{name}'",
                allowed=", ".join(names),
                remedy=f"Did you mean '{close[0]}'?"
                if close
                else "Name one of `users`, or add the user there with a uid.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-017",
        title="members of teams are users that nodes have",
        what="Where `orchestrator.users` lists any, every name in a team's `users` is among them.",
        why=(
            "Slurm takes any name as a member of an account. One that nodes do not know, as a rule a slip of "
            "the pen, belongs to nobody, and who was meant may not submit."
        ),
        fix="Correct the name, or add the user.",
        by_hand="`sacctmgr show associations format=account,user`, and `id NAME`, on a login node.",
    ),
    check=check,
)
