"""NVIDIA's DRA driver for ComputeDomains alone: the NVLink domains of GB200 nodes, a daemon of IMEX for each.

The nodes' own nvidia-imex has to be off then (k8s-dra-driver-gpu issue 524).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bedplate.kubernetes.placement import (
    GPU_NODES,
    INSTANCE_TYPE_LABEL,
    SYSTEM_NODES,
    everywhere,
    only_on,
)


def nvidia_dra_driver_values(*, instance_types: Iterable[str]) -> dict[str, Any]:
    """``instance_types`` are those with IMEX, as nodes are labelled; every GPU node where there are none.

    Left alone the chart wants its controller on a control-plane node, and EKS has none that takes pods. Its
    guide unsets that by null, which is lost on the way to Helm; naming the system nodes replaces it.
    """
    ((role_label, system),) = SYSTEM_NODES.items()
    types = tuple(instance_types)
    nodes = only_on(INSTANCE_TYPE_LABEL, types) if types else only_on(role_label, GPU_NODES.values())
    return {
        "nvidiaDriverRoot": "/",
        "resources": {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}},
        "controller": {"affinity": only_on(role_label, [system])},
        "kubeletPlugin": {"affinity": nodes, "tolerations": everywhere()},
    }
