"""STO-011: the read cache of an Intelligent-Tiering file system fits its throughput."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of, tierings
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.rules.tiering_throughput import STEP_MBPS

LEAST_GIB, MOST_GIB = 8, 32_768
"""Size for each 1000 MB/s of throughput (FSx API, LustreReadCacheConfiguration)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse sizes out of the range that the throughput gives; 0 is no cache."""
    for index, each in tierings(draft):
        if each.throughput_mbps % STEP_MBPS:
            continue  # STO-010 asks for another throughput first, and the range follows that
        least, most = (size * each.throughput_mbps // 1000 for size in (LEAST_GIB, MOST_GIB))
        if each.read_cache_gib == 0 or least <= each.read_cache_gib <= most:
            continue
        yield Violation(
            path=place_of(index, "read_cache_gib"),
            message=f"at {each.throughput_mbps} MB/s the read cache has {least} to {most} GiB, "
            f"not {each.read_cache_gib}",
            allowed=f"0, or {least} to {most}",
            remedy=f"Give {least if each.read_cache_gib < least else most}, or 0 for no cache.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-011",
        title="the read cache fits the throughput",
        what=(
            "`read_cache_gib` of a lustre-tiering file system is 0, or 8 to 32768 for each 1000 MB/s of its "
            "throughput."
        ),
        why="The cache is spread over the file servers. FSx refuses other sizes, minutes into the deploy.",
        fix="Give a size in the range that the message names, or 0.",
        by_hand="Read LustreReadCacheConfiguration in the FSx API reference.",
    ),
    check=check,
)
