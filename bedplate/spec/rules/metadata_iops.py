"""STO-003: metadata IOPS come in FSx's own steps."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import lustres, place_of
from bedplate.spec.rules.rule import Rule, Violation

_FIRST = (1500, 3000, 6000, 12000)
_STEP, _MOST = 12000, 192000


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse numbers other than 1500, 3000, 6000, and multiples of 12000 up to 192000."""
    steps = [*_FIRST, *range(2 * _STEP, _MOST + 1, _STEP)]
    for index, lustre in lustres(draft):
        iops = lustre.metadata_iops
        if iops == "automatic" or iops in steps:
            continue
        distances = {abs(step - iops): step for step in steps}
        yield Violation(
            path=place_of(index, "metadata_iops"),
            message=f"{iops} is no number of metadata IOPS that FSx has",
            allowed=f"automatic, 1500, 3000, 6000, or multiples of {_STEP} up to {_MOST}",
            remedy=f"Give {distances[min(distances)]}, or `automatic`.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-003",
        title="metadata IOPS are a number that FSx has",
        what=(
            "`metadata_iops` of a Lustre file system is `automatic`, 1500, 3000, 6000, or a multiple of "
            "12000 up to 192000."
        ),
        why="FSx refuses other numbers, minutes into the deploy.",
        fix=("Give the nearest number that the message names, or `automatic`, which follows the size."),
        by_hand="Read LustreCreateFileSystemMetadataConfiguration in the FSx API reference.",
    ),
    check=check,
)
