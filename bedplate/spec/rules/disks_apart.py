"""STO-018: no file system is mounted where the nodes' own disks are."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation

SCRATCH = "/scratch"
"""Where nodes mount the array of their own NVMe disks (``bedplate.node.bootstrap``)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse mount points at or in the nodes' scratch folder."""
    for index, each in draft.file_systems.items():
        if f"{each.mount}/".startswith(f"{SCRATCH}/"):
            yield Violation(
                path=place_of(index, "mount"),
                message=f"{each.mount} would cover, or lie in, {SCRATCH}, where each node mounts its own "
                "disks",
                allowed="a folder of its own, such as /fsx",
                remedy="Give another folder.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-018",
        title="shared file systems and the nodes' disks are apart",
        what="`mount` of a file system is not /scratch, nor in it.",
        why=(
            "Nodes mount the array of their NVMe disks at /scratch. A shared file system there would take "
            "its place on some nodes and not on others, and jobs would write to the wrong one."
        ),
        fix="Mount the file system elsewhere.",
        by_hand="`findmnt` on a node lists what is mounted where.",
    ),
    check=check,
)
