"""NVIDIA's device plugin: it offers a node's GPUs to pods. Bottlerocket has one built in."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import GPU_NODES, SYSTEM_NODES, everywhere, only_on


def nvidia_device_plugin_values(*, cliques: bool) -> dict[str, Any]:
    """``cliques`` has GPU feature discovery label nodes with their NVLink domain (``nvidia.com/gpu.clique``).

    Left alone the chart asks for labels that node feature discovery sets; ours are there without it.
    """
    ((label, role),) = GPU_NODES.items()
    values: dict[str, Any] = {
        "affinity": only_on(label, [role]),
        "tolerations": everywhere(),
        "gfd": {"enabled": cliques},
    }
    if cliques:
        values["nfd"] = {
            "master": {"nodeSelector": SYSTEM_NODES},
            "worker": {"nodeSelector": GPU_NODES, "tolerations": everywhere()},
        }
    return values
