"""STO-014: a file system that is there already lies in a VPC that is there already."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import existing_ones, place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse existing file systems beside a VPC that is made anew."""
    if draft.network is None or draft.network.vpc is not None:
        return
    for index, each in existing_ones(draft):
        yield Violation(
            path=place_of(index, "id"),
            message=f"{each.id} lies in a VPC that is there already, and the environment makes one of its "
            "own",
            allowed="existing file systems together with `network.vpc`",
            remedy="Give `network.vpc` instead of `network.cidr`, or make the file system anew.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-014",
        title="an existing file system is in an existing VPC",
        what="File systems of the kinds existing-lustre, existing-openzfs and existing-efs need "
        "`network.vpc`.",
        why=(
            "Servers of a file system have their addresses in one VPC for good. From a new VPC nobody "
            "reaches them, and every node would fail at the mount."
        ),
        fix="Use the VPC that the file system lies in.",
        by_hand="`aws fsx describe-file-systems --file-system-ids fs-… --query 'FileSystems[].VpcId'`",
    ),
    check=check,
)
