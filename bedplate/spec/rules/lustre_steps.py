"""STO-001: a file system without EFA comes in FSx's own steps."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import lustres, place_of
from bedplate.spec.rules.rule import Rule, Violation

_STEP_GIB = 2400


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse sizes other than 1200, 2400 and whole steps of 2400 GiB; with EFA, STO-002 has larger steps."""
    for index, lustre in lustres(draft):
        if lustre.efa or lustre.capacity_gib == 1200 or lustre.capacity_gib % _STEP_GIB == 0:
            continue
        below = lustre.capacity_gib // _STEP_GIB * _STEP_GIB or 1200
        yield Violation(
            path=place_of(index, "capacity_gib"),
            message=f"{lustre.capacity_gib} GiB is no size that FSx for Lustre has",
            allowed=f"1200, 2400, then multiples of {_STEP_GIB}",
            remedy=f"Give {below} or {lustre.capacity_gib // _STEP_GIB * _STEP_GIB + _STEP_GIB}.",
        )


RULE = Rule(
    row=CheckRow(
        id="STO-001",
        title="the file system's size is one that FSx has",
        what="Without EFA, `capacity_gib` of a Lustre file system is 1200, 2400 or a multiple of 2400.",
        why="FSx refuses other sizes, minutes into the deploy.",
        fix="Give one of the two sizes that the message names.",
        by_hand="Read StorageCapacity in the reference of FSx's CreateFileSystem.",
    ),
    check=check,
)
