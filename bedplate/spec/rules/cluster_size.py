"""ORC-007: the cluster is not larger than AWS PCS's largest."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MAX_NODES = 2048
"""Instances of a cluster of size LARGE (PCS API, CreateCluster.size)."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse more nodes in all than a cluster can have."""
    if draft.orchestrator_kind != "slurm-pcs" or draft.login is None or not draft.pools:
        return
    total = draft.login.nodes + sum(pool.max_nodes for pool in draft.pools.values())
    if total > MAX_NODES:
        yield Violation(
            path=("pools",),
            at_key=True,
            message=f"pools and login nodes come to {total}, and a PCS cluster has at most {MAX_NODES}",
            given=str(total),
            allowed=f"up to {MAX_NODES}",
            remedy="Make the pools smaller, or split them over two environments.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-007",
        title="the cluster is not too large",
        what="Under `slurm-pcs` all pools at their largest and the login nodes come to at most 2048 nodes.",
        why=(
            "AWS PCS has three sizes of cluster: 32, 512 and 2048 instances. Beyond that, "
            "launches fail. The size cannot be changed later without replacing the cluster."
        ),
        fix="Make the pools smaller, or split them over two environments.",
        by_hand=("`aws pcs get-cluster --cluster-identifier … --query cluster.size` shows a cluster's size."),
    ),
    check=check,
)
