"""STO-019: nodes mount by NFS 4."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingLustre
from bedplate.spec.rules.file_systems import existing_ones, place_of
from bedplate.spec.rules.rule import Rule, Violation

_VERSIONS = ("4", "4.0", "4.1", "4.2")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse mount options that ask for another version of NFS."""
    for index, each in existing_ones(draft):
        if isinstance(each, ExistingLustre):
            continue
        for number, option in enumerate(each.options):
            name, _, value = option.partition("=")
            if name in ("nfsvers", "vers") and value not in _VERSIONS:
                yield Violation(
                    path=place_of(index, "options", number),
                    message=f"{option} asks for NFS {value}, and nodes mount by NFS 4",
                    allowed=", ".join(f"nfsvers={version}" for version in _VERSIONS),
                    remedy="Write `nfsvers=4.2` (EFS: `nfsvers=4.1`), or leave the version out.",
                )


RULE = Rule(
    row=CheckRow(
        id="STO-019",
        title="nodes mount by NFS 4",
        what="`options` of an existing OpenZFS or EFS file system names no other version of NFS than 4.",
        why=(
            "NFS 3 needs four more ports and services of its own for mounting and locking. Nodes are set up "
            "for NFS 4 alone, and the rules between the groups open its one port."
        ),
        fix="Name 4, 4.0, 4.1 or 4.2, or no version.",
        by_hand="`nfsstat -m` on a node shows the version of each mount.",
    ),
    check=check,
)
