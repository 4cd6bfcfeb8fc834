"""STO-008: the file system is not mounted over the operating system."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.file_systems import place_of
from bedplate.spec.rules.rule import Rule, Violation

_SYSTEM = [
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "sys",
    "tmp",
    "usr",
    "var",
]


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse mount points that are, or lie within, a folder of the system."""
    for index, each in draft.file_systems.items():
        top = each.mount.split("/")[1]
        if top in _SYSTEM:
            yield Violation(
                path=place_of(index, "mount"),
                message=f"{each.mount} would cover, or lie in, the system's own /{top}",
                allowed="a folder of its own, such as /fsx, or /home",
                remedy="Give a folder that no other file system has, such as /fsx.",
            )


RULE = Rule(
    row=CheckRow(
        id="STO-008",
        title="a file system is mounted on a folder of its own",
        what="`mount` of a file system is no folder of the operating system, nor in one (/home is allowed).",
        why=(
            "A mount covers what lies beneath: over /opt it hides the NVIDIA and EFA software, "
            "over /root the administrator's keys. The node comes up and can do nothing."
        ),
        fix="Mount it at /fsx, and link to it from where programs look.",
        by_hand="`findmnt` on a node lists what is mounted where.",
    ),
    check=check,
)
