"""What HyperPod's Karpenter is told of a pool: a HyperpodNodeClass and a NodePool each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.kubernetes.hyperpod.instance_groups import node_labels, start_up_taints, steady_taints
from bedplate.kubernetes.hyperpod.scaling import scaled_by_karpenter
from bedplate.node.kubernetes import names
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

GROUP = "karpenter.sagemaker.amazonaws.com"
IDLE_MINUTES = 10
"""How long a node is empty before it goes. A choice of ours: a launch takes longer than a pause between jobs
of one sweep."""


def karpenter_objects(orchestrator: EksHyperPod, *, pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Two objects a pool that is scaled, for after the cluster: a node class needs its group.

    A node goes when it is empty and for no other reason: neither drift nor age nor a tighter packing may move
    a training job. The taints are those of the instance group, which Karpenter reckons with only where its
    own pool has them; whether HyperPod merges the two is unverified.
    """
    made: list[dict[str, Any]] = []
    for pool in pools:
        if scaled_by_karpenter(pool, orchestrator):
            made += [_node_class(pool), _node_pool(pool, gate=orchestrator.gate)]
    return made


def _node_class(pool: Pool) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "HyperpodNodeClass",
        "metadata": {"name": pool.name},
        "spec": {"instanceGroups": [pool.name]},
    }


def _node_pool(pool: Pool, *, gate: str) -> dict[str, Any]:
    hardware = pool_hardware(pool)
    spec: dict[str, Any] = {
        "nodeClassRef": {"group": GROUP, "kind": "HyperpodNodeClass", "name": pool.name},
        "expireAfter": "Never",
        "requirements": [
            {
                "key": "node.kubernetes.io/instance-type",
                "operator": "In",
                "values": [f"ml.{hardware.name}"],
            }
        ],
    }
    spec["taints"] = _taints(steady_taints())
    if gate != "none":
        spec["startupTaints"] = _taints(start_up_taints(gate=gate))
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": pool.name},
        "spec": {
            "template": {"metadata": {"labels": node_labels(pool, hardware)}, "spec": spec},
            "limits": {names.GPU_RESOURCE: str(pool.max_nodes * hardware.gpus)},
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": f"{IDLE_MINUTES}m",
                "budgets": [
                    {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
                    {"nodes": "100%", "reasons": ["Empty"]},
                ],
            },
        },
    }


def _taints(of_group: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The same as Kubernetes spells them."""
    return [{key.lower(): value for key, value in each.items()} for each in of_group]
