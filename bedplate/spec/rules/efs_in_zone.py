"""STO-013: EFS needs a mount target in the zone of the nodes, which a Local Zone cannot have."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import Efs, ExistingEfs
from bedplate.spec.regions import is_local_zone
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse EFS where the nodes are in a Local Zone."""
    if draft.network is None or not is_local_zone(draft.network.zone):
        return
    for index, each in draft.file_systems.items():
        if isinstance(each, Efs | ExistingEfs):
            yield Violation(
                path=place_of(index, "kind"),
                message=f"the nodes are in the Local Zone {draft.network.zone}, where EFS has no mount "
                "target",
                allowed="openzfs, existing-openzfs, or Lustre with efa: false",
                remedy="Use `kind: openzfs`, which nodes of a Local Zone reach by the name of its server.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-013",
        title="EFS is mounted from its own zones",
        what="No file system is of EFS where `network.zone` is a Local Zone.",
        why=(
            "A file system's name leads to the mount target in the zone that asks. In a Local Zone there "
            "is none, and no source says that nodes there find another."
        ),
        fix="Keep home and code on OpenZFS.",
        by_hand="`aws efs describe-mount-targets --file-system-id fs-…` lists the zones that have one.",
    ),
    check=check,
)
