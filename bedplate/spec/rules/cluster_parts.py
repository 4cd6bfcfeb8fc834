"""ORC-010: the cluster has no more node groups and queues than AWS PCS takes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

MAX_NODE_GROUPS = 10
MAX_QUEUES = 10
"""Of one cluster, not adjustable (AWS PCS User Guide, "Endpoints and service quotas", internal quotas)."""
MAX_POOLS = MAX_NODE_GROUPS - 1
"""A pool is a node group, and the login nodes are one."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse more pools or partitions than become node groups and queues."""
    if draft.orchestrator_kind != "slurm-pcs":
        return
    if len(draft.pool_names) > MAX_POOLS:
        yield Violation(
            path=("pools",),
            at_key=True,
            message=(
                f"{len(draft.pool_names)} pools and the login nodes are {len(draft.pool_names) + 1} node "
                f"groups, and a PCS cluster has at most {MAX_NODE_GROUPS}"
            ),
            given=f"{len(draft.pool_names)} pools",
            allowed=f"up to {MAX_POOLS} pools",
            remedy="Join pools of one type and one source, or split them over two environments.",
        )
    if len(draft.partitions) > MAX_QUEUES:
        yield Violation(
            path=("orchestrator", "partitions"),
            at_key=True,
            message=f"each partition is a queue, and a PCS cluster has at most {MAX_QUEUES}",
            given=f"{len(draft.partitions)} partitions",
            allowed=f"up to {MAX_QUEUES} partitions",
            remedy="Name several pools in one partition.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-010",
        title="the cluster has no more pools and partitions than it can",
        what="There are at most 9 pools, which with the login nodes are 10 node groups, and 10 partitions.",
        why=(
            "AWS PCS takes 10 compute node groups and 10 queues in a cluster, and raises neither. "
            "The eleventh fails in the middle of the deploy."
        ),
        fix="Join pools of one type and one source, name several pools in a partition, or split the file.",
        by_hand="`aws pcs list-compute-node-groups --cluster-identifier …` lists a cluster's node groups.",
    ),
    check=check,
)
