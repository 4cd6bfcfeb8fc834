"""ORC-022: ParallelCluster's own /home lies over no file system."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingOpenZfs
from bedplate.spec.rules.rule import Rule, Violation

HOME = "/home"


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse what ParallelCluster's own ``/home`` would lie over."""
    if draft.orchestrator_kind != "slurm-parallelcluster":
        return
    for index, each in draft.file_systems.items():
        by_path = isinstance(each, ExistingOpenZfs) and each.mount == HOME
        below = each.mount.startswith(f"{HOME}/")
        if by_path or below:
            yield Violation(
                path=("storage", "file_systems", index, "mount"),
                message="ParallelCluster exports its own /home over this one"
                + (": it does not know the volume" if by_path else ", for nothing of yours is mounted there"),
                allowed="any other mount point, such as /homes",
                remedy="Mount it elsewhere and write `homes:` so, or let Bedplate make the file system."
                if by_path
                else "Mount it elsewhere, or at /home itself.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-022",
        title="ParallelCluster's own /home lies over no file system",
        what="Under `slurm-parallelcluster` no `existing-openzfs` is mounted at `/home`, and nothing below "
        "`/home`.",
        why=(
            "ParallelCluster exports the head node's /home to all nodes unless a file system of its "
            "configuration is mounted there. It names an OpenZFS by the id of a volume, and the file has a "
            "path: nodes would have the head's root disk as /home, and nothing would say so."
        ),
        fix="Mount it at another place, and set `orchestrator.homes` to a folder there.",
        by_hand="`findmnt /home` on a compute node shows whose it is.",
    ),
    check=check,
)
