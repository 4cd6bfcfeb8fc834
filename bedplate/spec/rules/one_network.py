"""NET-003: the network is either made or found, not both and not neither."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse both of cidr and vpc, and neither."""
    if draft.network is None:
        return
    if draft.network.cidr is None and draft.network.vpc is None:
        yield Violation(
            path=("network",),
            at_key=True,
            message="neither 'cidr' nor 'vpc' is given",
            given="",
            allowed="one of them",
            remedy="Add `cidr: 10.40.0.0/16` for a VPC of its own, or `vpc:` to use one that is there.",
        )
    elif draft.network.cidr is not None and draft.network.vpc is not None:
        yield Violation(
            path=("network", "vpc"),
            at_key=True,
            message="'cidr' and 'vpc' are both given",
            given="",
            allowed="one of them",
            remedy="Remove 'cidr' to use the VPC that is there, or 'vpc' to have one made.",
        )


RULE = Rule(
    row=CheckRow(
        id="NET-003",
        title="the network is made or found",
        what=(
            "`network` holds `cidr` (Bedplate makes the VPC) or `vpc` (it uses one that is "
            "there), one of the two."
        ),
        why=(
            "With both, one would be ignored without a word, and nodes would come up in a network "
            "that nobody meant."
        ),
        fix="Keep one of the two.",
        by_hand="Read the section `network` of the file.",
    ),
    check=check,
)
