"""ORC-021: a cluster of ParallelCluster has a way out."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse ParallelCluster in a network without a way to the internet."""
    network = draft.network
    if draft.orchestrator_kind != "slurm-parallelcluster" or network is None or network.internet != "none":
        return
    yield Violation(
        path=("network", "internet"),
        message="ParallelCluster calls Route 53 from its nodes, and nothing leads there without a way out",
        allowed="`internet: nat`",
        remedy="Set `internet: nat`, or use `kind: slurm-pcs`, which runs in a closed network.",
    )


RULE = Rule(
    row=CheckRow(
        id="ORC-021",
        title="a cluster of ParallelCluster has a way out",
        what="`network.internet` is not `none` where `kind` is `slurm-parallelcluster`.",
        why=(
            "Head and compute nodes call CloudFormation, DynamoDB, EC2 and Route 53 while they come up. "
            "Route 53 has no endpoint in a VPC; a cluster without it is another one, with host names of EC2 "
            "and without managed DNS, which is not built here."
        ),
        fix="Give the network a NAT gateway, or let AWS PCS run Slurm.",
        by_hand='Read "AWS ParallelCluster in a single subnet with no internet access" in its documentation.',
    ),
    check=check,
)
