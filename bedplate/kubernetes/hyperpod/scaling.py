"""Which pools the Karpenter that HyperPod runs scales, and what it asks of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.spec.capacity_sources import TrainingPlan
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pools import Pool


def scaled_by_karpenter(pool: Pool, orchestrator: EksHyperPod) -> bool:
    """A pool with a range, where there is Karpenter; its other pools keep their number."""
    return orchestrator.karpenter and pool.min_nodes != pool.max_nodes


def check_scaling(orchestrator: EksHyperPod, pools: Sequence[Pool]) -> None:
    """``ValueError`` for what HyperPod's Karpenter could not do, or for a range that nothing would heed.

    Its pages ("Autoscaling on SageMaker HyperPod EKS", "Create a NodeClass") ask for continuous provisioning,
    which every cluster of ours has, for automatic recovery, and for groups that start empty.
    """
    ranges = [pool for pool in pools if pool.min_nodes != pool.max_nodes]
    if not orchestrator.karpenter:
        if ranges:
            named = ", ".join(pool.name for pool in ranges)
            raise ValueError(
                f"pools {named}: a range of nodes, and nothing that scales them; "
                "give one number, or write `karpenter: true`"
            )
        return
    if not ranges:
        raise ValueError(
            "karpenter: no pool has a range of nodes to scale; write `nodes: {min: 0, max: …}` in one, or "
            "leave karpenter out"
        )
    if orchestrator.node_recovery != "automatic":
        raise ValueError("karpenter: HyperPod asks for `node_recovery: automatic` with it")
    for pool in ranges:
        if pool.min_nodes:
            raise ValueError(
                f"pool {pool.name}: HyperPod's Karpenter begins at no node and keeps none up; write "
                "`min: 0`, or one number for a pool that it leaves alone"
            )
        if isinstance(pool.capacity, TrainingPlan):
            raise ValueError(
                f"pool {pool.name}: a training plan is paid for whether its nodes are up or not; give one "
                "number of nodes"
            )
