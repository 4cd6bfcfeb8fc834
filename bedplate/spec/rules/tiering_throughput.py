"""STO-010: the throughput of an Intelligent-Tiering file system goes in steps of 4000 MB/s."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of, tierings
from bedplate.spec.rules.rule import Rule, Violation

STEP_MBPS = 4000
"""FSx API, CreateFileSystemLustreConfiguration, ThroughputCapacity; EFA takes no other steps."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse what is no whole number of steps."""
    for index, each in tierings(draft):
        if each.throughput_mbps % STEP_MBPS == 0:
            continue
        below = each.throughput_mbps // STEP_MBPS * STEP_MBPS
        yield Violation(
            path=place_of(index, "throughput_mbps"),
            message=f"{each.throughput_mbps} MB/s is no multiple of {STEP_MBPS}",
            allowed=f"multiples of {STEP_MBPS} up to 2000000",
            remedy=f"Give {below} or {below + STEP_MBPS}.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-010",
        title="the throughput of Intelligent-Tiering is one that FSx has",
        what="`throughput_mbps` of a lustre-tiering file system is a multiple of 4000.",
        why=(
            "FSx refuses other numbers, minutes into the deploy. Its reference names 1000 and 2000 too, "
            "for file systems without EFA, and bars them in the same place; they are not offered here."
        ),
        fix="Give one of the two numbers that the message names.",
        by_hand="Read ThroughputCapacity in the reference of FSx's CreateFileSystemLustreConfiguration.",
    ),
    check=check,
)
