"""ORC-006: no pool is called as the login group is."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

LOGIN_GROUP = "login"


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the name that the login nodes have."""
    for index, name in draft.pool_names.items():
        if name == LOGIN_GROUP:
            yield Violation(
                path=("pools", index, "name"),
                message=f"the login nodes' group is called '{LOGIN_GROUP}'",
                allowed="any other name",
                remedy="Name the pool after its GPUs, such as h200.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-006",
        title="no pool takes the login group's name",
        what="No pool is called `login`.",
        why=(
            "The login nodes are a compute node group of AWS PCS with that name; a second one of "
            "the same name is refused."
        ),
        fix="Call the pool otherwise.",
        by_hand=(
            "`aws pcs list-compute-node-groups --cluster-identifier …` lists the groups that are there."
        ),
    ),
    check=check,
)
