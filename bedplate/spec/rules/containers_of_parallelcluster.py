"""ORC-030: ParallelCluster's nodes use the Enroot and Pyxis of their image."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator import ContainersOfPackages
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse packages where the image has them already."""
    if draft.orchestrator_kind == "slurm-parallelcluster" and isinstance(
        draft.containers, ContainersOfPackages
    ):
        yield Violation(
            path=("orchestrator", "containers", "kind"),
            message="ParallelCluster's images have Enroot and Pyxis, and Slurm would load two of them",
            allowed="image or none",
            remedy="Write `containers: {kind: image}`.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-030",
        title="ParallelCluster's nodes use their image's containers",
        what="`orchestrator.containers` is not of `kind: packages` under `slurm-parallelcluster`.",
        why=(
            "From 3.11.1 on ParallelCluster's images have both, made for its Slurm. Two Pyxis in one Slurm "
            "have the same options, and the line that loads one is the head node's for all nodes."
        ),
        fix="Write `containers: {kind: image}`.",
        by_hand="`ls /opt/parallelcluster/examples` on a node of ParallelCluster's image.",
    ),
    check=check,
)
