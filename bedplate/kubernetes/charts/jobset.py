"""JobSet: several jobs that start, fail and restart as one. Kubeflow's Trainer makes them."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES


def jobset_values(*, version: str) -> dict[str, Any]:
    """``version`` is the chart's; its source names an image that moves, so that ours is said."""
    return {
        "image": {
            "repository": "registry.k8s.io/jobset/jobset",
            "tag": f"v{version}",
            "pullPolicy": "IfNotPresent",
        },
        "controller": {"nodeSelector": SYSTEM_NODES},
    }
