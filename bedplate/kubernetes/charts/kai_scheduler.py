"""NVIDIA's KAI scheduler: gangs, queues and topology."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES


def kai_scheduler_values(*, version: str) -> dict[str, Any]:
    """``version`` is the chart's, which its images are named by.

    Left alone it gives every GPU pod the runtime class ``nvidia``, which EKS's images do not have: containerd
    runs NVIDIA's runtime by default there. Empty switches that off.
    """
    return {
        "global": {
            "registry": "ghcr.io/nvidia/kai-scheduler",
            "tag": f"v{version}",
            "nodeSelector": SYSTEM_NODES,
        },
        "admission": {"gpuPodRuntimeClassName": ""},
    }
