"""Nodes, slices and pods as a Kubernetes API tells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.hardware import instance_type

NAME = "ip-10-0-3-7.us-west-2.compute.internal"
INSTANCE = "i-0a1b2c3d4e5f60718"
DRIVER = "efa.example"


def condition(kind: str, status: str, *, reason: str = "", message: str = "") -> dict[str, str]:
    """One condition of a node or a pod."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


WELL = (
    condition("MemoryPressure", "False", reason="KubeletHasSufficientMemory"),
    condition("Ready", "True", reason="KubeletReady"),
    condition("AcceleratedHardwareReady", "True", reason="NvidiaAcceleratedHardwareIsReady"),
    condition("NetworkingReady", "True", reason="NetworkingIsReady"),
)


def node(
    kind: str = "p5.48xlarge",
    *,
    name: str = NAME,
    instance: str = INSTANCE,
    gpus: str | None = None,
    efas: str | None = None,
    conditions: Sequence[dict[str, str]] = WELL,
    **parts: Any,
) -> dict[str, Any]:
    """A whole node of the type; ``parts`` are ``metadata``, ``spec`` and ``status`` entries by
    ``PART__KEY``. None of a count is the type's own, an empty string leaves the resource out.
    """
    row = instance_type(kind)
    counts = {
        "nvidia.com/gpu": str(row.gpus) if gpus is None else gpus,
        "vpc.amazonaws.com/efa": str(row.efa_count) if efas is None else efas,
    }
    offered = {"cpu": "192", "memory": "2097152Ki", **{key: each for key, each in counts.items() if each}}
    made: dict[str, Any] = {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "resourceVersion": "812",
            "creationTimestamp": "2026-02-03T09:14:02Z",
            "labels": {"node.kubernetes.io/instance-type": kind, "bedplate.dev/pool": "train"},
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
        },
        "spec": {
            "providerID": f"aws:///us-west-2a/{instance}",
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        },
        "status": {
            "capacity": dict(offered),
            "allocatable": dict(offered),
            "conditions": [dict(each) for each in conditions],
            "addresses": [{"type": "InternalIP", "address": "10.0.3.7"}],
            "nodeInfo": {"bootID": "5b0f"},
        },
    }
    for path, value in parts.items():
        part, key = path.split("__")
        made[part][key] = value
    return made


def slices(count: int, *, name: str = NAME, each: int = 16, generation: int = 1) -> list[dict[str, Any]]:
    """A DRA driver's slices that hold ``count`` devices of a node."""
    chunks = [range(start, min(start + each, count)) for start in range(0, count, each)]
    return [
        {
            "kind": "ResourceSlice",
            "metadata": {"name": f"slice-{generation}-{index}"},
            "spec": {
                "nodeName": name,
                "driver": DRIVER,
                "pool": {"name": name, "generation": generation, "resourceSliceCount": len(chunks)},
                "devices": [{"name": f"efa-{number}"} for number in chunk],
            },
        }
        for index, chunk in enumerate(chunks)
    ]
