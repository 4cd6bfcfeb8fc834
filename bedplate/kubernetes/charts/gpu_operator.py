"""NVIDIA's GPU Operator without driver and toolkit, which the images of EKS have."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES, everywhere


def gpu_operator_values(*, version: str, device_plugin: bool, dcgm_exporter: bool) -> dict[str, Any]:
    """``version`` is the chart's, which its images are named by. ``device_plugin`` is off where the image has
    one; ``dcgm_exporter`` brings the node's one DCGM with it, so that an engine beside it is off in any case.
    """
    return {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "devicePlugin": {"enabled": device_plugin},
        "dcgm": {"enabled": False},
        "dcgmExporter": {"enabled": dcgm_exporter, "serviceMonitor": {"enabled": False}},
        "migManager": {"enabled": False},
        "operator": {"version": f"v{version}", "nodeSelector": SYSTEM_NODES},
        "validator": {"version": f"v{version}"},
        "daemonsets": {"tolerations": everywhere()},
        "node-feature-discovery": {"worker": {"tolerations": everywhere()}},
    }
