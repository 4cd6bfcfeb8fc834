"""A ``ResourceFlavor`` for each pool: one instance type each, so that no job waits for EFAs of another."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.queues.topology import levels_of
from bedplate.node.kubernetes.names import GPU_TAINT, POOL_LABEL
from bedplate.spec.pools import Pool

GPU_TOLERATION = {"key": GPU_TAINT, "operator": "Exists", "effect": "NoSchedule"}
"""The one taint that jobs tolerate. Those of the gate and of unfit nodes are there to keep jobs away."""


def flavor(pool: Pool) -> dict[str, Any]:
    """The pool's flavor, which has the pool's name."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": pool.name},
        "spec": {
            "nodeLabels": {POOL_LABEL: pool.name},
            "tolerations": [dict(GPU_TOLERATION)],
            "topologyName": levels_of(pool).name,
        },
    }
