"""ORC-022: ParallelCluster can be told of what is mounted at /home."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.file_systems import ExistingOpenZfs
from bedplate.spec.rules.rule import Rule, Violation

HOME = "/home"


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse an OpenZFS that is there at ``/home``: ParallelCluster knows volumes by their ids alone."""
    if draft.orchestrator_kind != "slurm-parallelcluster":
        return
    for index, each in draft.file_systems.items():
        if isinstance(each, ExistingOpenZfs) and each.mount == HOME:
            yield Violation(
                path=("storage", "file_systems", index, "mount"),
                message="ParallelCluster exports its own /home over this one: it does not know the volume",
                allowed="any other mount point, such as /homes",
                remedy="Mount it elsewhere and write `homes:` so, or let Bedplate make the file system.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-022",
        title="ParallelCluster can be told of what is mounted at /home",
        what="Under `slurm-parallelcluster` no `existing-openzfs` is mounted at `/home`.",
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
