"""STO-012: file systems are reached by EFA within one zone only."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.regions import is_local_zone
from bedplate.spec.rules.file_systems import place_of, wants_efa
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse EFA where the nodes are in a Local Zone: file systems stand in the parent Region then."""
    if draft.network is None or not is_local_zone(draft.network.zone):
        return
    for index, each in draft.file_systems.items():
        if wants_efa(each):
            yield Violation(
                path=place_of(index, "efa"),
                message=f"the nodes are in the Local Zone {draft.network.zone}, file systems stand in the "
                "Region beside it, and EFA does not cross zones",
                given="true",
                allowed="false",
                remedy="Write `efa: false`; nodes reach the file system by TCP.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-012",
        title="EFA stays within the zone",
        what=(
            "No file system has `efa: true` where `network.zone` is a Local Zone. It is the default of "
            "Lustre, so `efa: false` has to be written."
        ),
        why=(
            "No source says that FSx stands in the Local Zones that GPUs are sold in, so file systems are "
            "made in an Availability Zone of the Region. EFA traffic does not cross zones: the mount would "
            "hang, or go over TCP without a word."
        ),
        fix="Write `efa: false` at the file system.",
        by_hand="Read the limitations of EFA in the EC2 User Guide.",
    ),
    check=check,
)
