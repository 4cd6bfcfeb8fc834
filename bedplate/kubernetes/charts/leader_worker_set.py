"""LeaderWorkerSet: replicas of a leader with its workers, for inference over several nodes."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES


def leader_worker_set_values(*, version: str) -> dict[str, Any]:
    """``version`` is the chart's; its source names an image that moves, so that ours is said."""
    return {
        "image": {
            "manager": {
                "repository": "registry.k8s.io/lws/lws",
                "tag": f"v{version}",
                "pullPolicy": "IfNotPresent",
            }
        },
        "nodeSelector": SYSTEM_NODES,
    }
