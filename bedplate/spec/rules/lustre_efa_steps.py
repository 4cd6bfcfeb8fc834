"""STO-002: a file system with EFA comes in steps that follow its throughput."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import lustres, place_of
from bedplate.spec.rules.rule import Rule, Violation

EFA_STEP_GIB = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""Throughput in MB/s for each TiB → step of the size in GiB (FSx User Guide, EFA-enabled file systems)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse sizes that are no whole number of steps."""
    steps = ", ".join(f"{size} at {speed}" for speed, size in EFA_STEP_GIB.items())
    for index, lustre in lustres(draft):
        step = EFA_STEP_GIB[lustre.throughput_mbps_per_tib]
        if not lustre.efa or lustre.capacity_gib % step == 0:
            continue
        below = lustre.capacity_gib // step * step
        choices = " or ".join(str(size) for size in (below, below + step) if size)
        yield Violation(
            path=place_of(index, "capacity_gib"),
            message=f"with EFA at {lustre.throughput_mbps_per_tib} MB/s for each TiB the size goes in steps "
            f"of {step} GiB, and {lustre.capacity_gib} is no multiple",
            allowed=f"multiples of {step}",
            remedy=f"Give {choices}, or another throughput (steps: {steps}), or `efa: false`.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-002",
        title="the size of a file system with EFA is a whole number of its steps",
        what=(
            "With `efa: true`, `capacity_gib` of a Lustre file system is a multiple of 38400 at 125 MB/s "
            "for each TiB, 19200 at 250, 9600 at 500 and 4800 at 1000."
        ),
        why=(
            "FSx gives EFA to whole file servers only. It refuses other sizes, minutes into the "
            "deploy, and throughput and EFA cannot be changed later."
        ),
        fix=(
            "Give one of the sizes that the message names, a higher throughput, which has smaller "
            "steps, or `efa: false`."
        ),
        by_hand='Read "EFA-enabled file systems" in the FSx for Lustre User Guide.',
    ),
    check=check,
)
