"""ORC-050: mount points become volumes of different names."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator.volume_name import volume_name
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse the second of two mount points that Kubernetes could not tell apart."""
    if draft.kubernetes is None:
        return
    seen: dict[str, str] = {}
    for index, each in draft.file_systems.items():
        name = volume_name(each.mount)
        first = seen.setdefault(name, each.mount)
        if first != each.mount:
            yield Violation(
                path=("storage", "file_systems", index, "mount"),
                message=f"{first} and {each.mount} would both be the volume '{name}'",
                allowed="mount points that differ in more than case, slashes and dots",
                remedy="Choose another mount point.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-050",
        title="mount points become volumes of different names",
        what=(
            "Under `eks` no two mount points are the same once capital letters are small and whatever is no "
            "letter or digit is a hyphen."
        ),
        why="Each file system is a volume of Kubernetes, whose names have small letters, digits and hyphens.",
        fix="Choose another mount point.",
        by_hand="`kubectl get persistentvolumes` lists the volumes.",
    ),
    check=check,
)
