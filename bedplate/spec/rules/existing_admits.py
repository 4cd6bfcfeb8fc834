"""STO-015: something lets the cluster into a file system that is there already."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import existing_ones, place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse an existing file system without its group where the cluster's group is made anew."""
    if draft.network is None or draft.network.vpc is None or draft.network.vpc.fabric_group is not None:
        return
    for index, each in existing_ones(draft):
        if each.security_group is None:
            yield Violation(
                path=place_of(index),
                message=f"the cluster's security group is made anew, so that {each.id} cannot admit it yet",
                given="no security_group",
                allowed="security_group, or network.vpc.fabric_group",
                remedy="Add the file system's own `security_group: sg-…`, to have rules added there, or name "
                "an existing `fabric_group` under `network.vpc` that it admits.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-015",
        title="an existing file system lets the cluster in",
        what=(
            "An existing file system has its `security_group` written down, unless "
            "`network.vpc.fabric_group` names a group for the nodes that is there already."
        ),
        why=(
            "A group that Bedplate makes is known to nobody before the deploy, and lets only itself and "
            "the web out. Without rules for the file system every node hangs at the mount."
        ),
        fix="Add `security_group`, or use an existing `fabric_group`.",
        by_hand="`aws ec2 describe-security-group-rules --filters Name=group-id,Values=sg-…`",
    ),
    check=check,
)
