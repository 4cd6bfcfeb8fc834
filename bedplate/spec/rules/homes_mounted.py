"""ORC-018: homes are on a file system that every node mounts."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a folder on the nodes' own disks, and one on a file system that is only read."""
    if not draft.user_names or draft.homes is None or not draft.all_file_systems:
        return
    homes = draft.homes
    mounts = {each.mount: "ro" in getattr(each, "options", ()) for each in draft.file_systems.values()}
    holding = [mount for mount in mounts if f"{homes}/".startswith(f"{mount}/")]
    taking = [mount for mount, read_only in mounts.items() if not read_only]
    if holding and not mounts[holding[0]]:
        return
    found = f"{holding[0]} is mounted for reading only" if holding else f"{homes} is on no shared file system"
    yield Violation(
        path=("orchestrator", "homes"),
        message=f"{found}, so that users have no homes there",
        allowed=" or ".join(f"a folder in {mount}" for mount in taking) or "no folder: nothing is mounted",
        given=homes,
        remedy=_remedy(homes, None if holding else homes, taking),
    )


def _remedy(homes: str, free: str | None, taking: list[str]) -> str:
    ways = [f"write `homes: {_folder(taking[0])}`"] if taking else []
    ways += [f"mount a file system at {free}"] if free else []
    words = " or ".join(ways) or f"take `ro` from the file system that holds {homes}"
    return f"{words[0].upper()}{words[1:]}."


def _folder(mount: str) -> str:
    return mount if mount == "/home" else f"{mount}/home"


RULE = Rule(
    row=CheckRow(
        id="ORC-018",
        title="homes are on a shared file system",
        what=(
            "Where `orchestrator.users` lists any, `homes` is a file system's `mount` or lies in one that "
            "is not mounted with `ro`."
        ),
        why=(
            "A home on a node's own disk is another one on each node: jobs would not find what was left on "
            "the login node, and it would be gone with the node."
        ),
        fix="Give a folder on a mounted file system, or mount one at /home.",
        by_hand="`findmnt --target ~` on a node says what a home is on.",
    ),
    check=check,
)
