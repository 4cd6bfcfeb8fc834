"""ORC-042: HyperPod takes the names of pools and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

EVERYBODYS_PARTITION = "dev"
"""Every node of a HyperPod cluster is in it (SageMaker Developer Guide, "SageMaker HyperPod references")."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse names that end in a hyphen, and the partition that HyperPod makes itself."""
    if draft.orchestrator_kind != "slurm-hyperpod":
        return
    partitions = {index: each.name for index, each in draft.partitions.items()}
    for path, names in ((("pools",), draft.pool_names), (("orchestrator", "partitions"), partitions)):
        for index, name in names.items():
            if name.endswith("-"):
                yield Violation(
                    path=(*path, index, "name"),
                    message=f"HyperPod takes no name that ends in a hyphen, as '{name}' does",
                    allowed="a letter or a digit at the end",
                    remedy="Leave the hyphen at the end away, here and where the name is used.",
                )
    for index, name in partitions.items():
        if name == EVERYBODYS_PARTITION:
            yield Violation(
                path=("orchestrator", "partitions", index, "name"),
                message=f"HyperPod makes a partition '{name}' of all nodes itself, login nodes too",
                allowed="any other name",
                remedy="Call it otherwise, such as develop.",
            )


RULE = Rule(
    row=CheckRow(
        id="ORC-042",
        title="HyperPod takes the names of pools and partitions",
        what="Under `slurm-hyperpod` no name of a pool or a partition ends in a hyphen, and no partition is "
        "called `dev`.",
        why=(
            "InstanceGroupName and PartitionNames of the SageMaker API end in a letter or a digit: "
            "CreateCluster refuses others after the network and the file systems have been made. In the "
            "partition `dev` HyperPod puts every node of the cluster, so that one of that name would be more "
            "than its pools."
        ),
        fix="Call it otherwise.",
        by_hand="See ClusterInstanceGroupSpecification and ClusterSlurmConfig in the SageMaker API "
        "Reference; `sinfo` on a node shows `dev`.",
    ),
    check=check,
)
