"""ORC-010: the cluster has no more node groups and queues than the orchestrator takes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path
from bedplate.spec.rules.rule import Rule, Violation

MAX_NODE_GROUPS = 10
MAX_QUEUES = 10
"""Of one cluster, not adjustable (AWS PCS User Guide, "Endpoints and service quotas", internal quotas)."""
MAX_POOLS = MAX_NODE_GROUPS - 1
"""A pool is a node group, and the login nodes are one."""
MAX_PARALLELCLUSTER_PARTS = 50
"""Compute resources, and queues, of a cluster (aws-parallelcluster 3.16.1, ``pcluster/constants.py``)."""
MAX_HYPERPOD_GROUPS = 100
"""Instance groups of a cluster (SageMaker API, CreateCluster, InstanceGroups)."""
MAX_HYPERPOD_POOLS = MAX_HYPERPOD_GROUPS - 2
"""A pool is a group, and so are the controller and the login nodes."""
MAX_EKS_POOLS = 24
"""Each with a launch template of up to 33 interfaces in one CloudFormation template of 1 MB: our own bound,
which a test holds. EKS itself has 100 managed node groups in a cluster (EKS User Guide, service
quotas; adjustable).
"""
_POOLS, _QUEUES = ("pools",), ("orchestrator", "partitions")


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse more pools or partitions than become node groups and queues."""
    pools, partitions = len(draft.pool_names), len(draft.partitions)
    if draft.orchestrator_kind == "slurm-pcs":
        groups = f"{pools} pools and the login nodes are {pools + 1} node groups, and a PCS cluster has"
        yield from _over(pools, MAX_POOLS, f"{groups} at most {MAX_NODE_GROUPS}", _POOLS)
        queues = f"each partition is a queue, and a PCS cluster has at most {MAX_QUEUES}"
        yield from _over(partitions, MAX_QUEUES, queues, _QUEUES)
    if draft.orchestrator_kind == "slurm-parallelcluster":
        most = MAX_PARALLELCLUSTER_PARTS
        pool = f"each pool is a compute resource, and ParallelCluster takes {most}"
        queue = f"each partition is a queue, and ParallelCluster takes {most}"
        yield from _over(pools, most, pool, _POOLS)
        yield from _over(partitions, most, queue, _QUEUES)
    if draft.orchestrator_kind == "eks":
        group = f"the launch templates of more than {MAX_EKS_POOLS} pools do not fit into one template"
        yield from _over(pools, MAX_EKS_POOLS, group, _POOLS)
    if draft.orchestrator_kind == "slurm-hyperpod":
        group = f"each pool is an instance group, and HyperPod takes {MAX_HYPERPOD_GROUPS} with two of ours"
        yield from _over(pools, MAX_HYPERPOD_POOLS, group, _POOLS)


def _over(found: int, most: int, message: str, path: Path) -> Iterator[Violation]:
    if found > most:
        yield Violation(
            path=path,
            at_key=True,
            message=message,
            given=f"{found} {path[-1]}",
            allowed=f"up to {most} {path[-1]}",
            remedy="Join pools of one type and one source, or split them over two environments."
            if path == _POOLS
            else "Name several pools in one partition.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-010",
        title="the cluster has no more pools and partitions than it can",
        what="Under `slurm-pcs` there are at most 9 pools, with the login nodes 10 node groups, and "
        "10 partitions; under `slurm-parallelcluster` 50 of each; under `slurm-hyperpod` 98 "
        "pools, and under `eks` 24.",
        why=(
            "AWS PCS takes 10 compute node groups and 10 queues in a cluster, and raises neither. "
            "The eleventh fails in the middle of the deploy. ParallelCluster takes 50 compute resources and "
            "50 queues, HyperPod 100 instance groups, of which the controller and the login nodes are two, "
            "and under EKS the launch templates of all pools have to fit into one template of 1 MB."
        ),
        fix="Join pools of one type and one source, name several pools in a partition, or split the file.",
        by_hand="`aws pcs list-compute-node-groups --cluster-identifier …` lists a cluster's node groups.",
    ),
    check=check,
)
