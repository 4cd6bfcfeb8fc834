"""ORC-014: teams need accounting."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse teams where nothing is recorded."""
    if draft.team_names and not draft.accounting:
        yield Violation(
            path=("orchestrator", "accounting"),
            message="teams' shares and bounds are kept in the accounting database, and there is none",
            allowed="true where there are teams",
            remedy="Write `accounting: true`, or remove `teams`.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-014",
        title="teams need accounting",
        what="`orchestrator.accounting` is true where `orchestrator.teams` names any.",
        why=(
            "Slurm keeps accounts, shares and QOS in slurmdbd. Without it there is no account to submit a "
            "job in, and no bound is held."
        ),
        fix="Switch accounting on, or share the cluster without teams.",
        by_hand="`scontrol show config | grep AccountingStorageType` shows whether there is a database.",
    ),
    check=check,
)
