"""What Kubernetes says about its nodes, and what that means for a question to one of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.hardware import INSTANCE_TYPES
from bedplate.kubernetes.validation.names import PART, PART_LABEL
from bedplate.kubernetes.validation.requests import WholeNode, whole_node
from bedplate.node.kubernetes.names import GPU_RESOURCE

_INSTANCE_ID = re.compile(r"i-[0-9a-f]{8,17}$")
_TYPE_LABEL = "node.kubernetes.io/instance-type"
_KEEPS_OFF = frozenset({"NoSchedule", "NoExecute"})
_ENDED = frozenset({"Succeeded", "Failed"})
_MOST_SHOWN = 3


@dataclass(frozen=True)
class ClusterNode:
    """One node. ``holders`` are the pods of others that have asked for GPUs of it, ``lacking`` what it does
    not offer of what its type has.
    """

    name: str
    instance_id: str
    ready: bool
    condition: str = ""
    taints: tuple[str, ...] = ()
    os_image: str = ""
    whole: WholeNode | None = None
    lacking: str = ""
    holders: tuple[str, ...] = ()

    def gone(self) -> str:
        """Why no pod would run there, in words; empty where one would."""
        return "" if self.ready else f"it is not online: Kubernetes says that it is {self.condition}"

    def barred(self, tolerated: Collection[str]) -> str:
        """Why a pod that only looks is not put there."""
        taints = [taint for taint in self.taints if taint not in tolerated]
        if taints:
            return f"it was not asked: it has the taint {', '.join(taints)}"
        if self.os_image.startswith("Bottlerocket"):
            return f"it was not asked: its host ({self.os_image}) has no Python that could answer"
        return ""

    def taken(self) -> str:
        """Why a pod that loads its GPUs is not put there."""
        if self.whole is None:
            return "it was not loaded: its instance type is none that the hardware table has"
        if self.lacking:
            return f"it was not loaded: {self.lacking}"
        if self.holders:
            shown = ", ".join(self.holders[:_MOST_SHOWN])
            more = f" and {len(self.holders) - _MOST_SHOWN} more" if len(self.holders) > _MOST_SHOWN else ""
            return f"it was not loaded: GPUs of it are asked for by {shown}{more}"
        return ""


def cluster_nodes(
    *, nodes: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]] = ()
) -> dict[str, ClusterNode]:
    """Instance id → node, of those that are EC2 instances."""
    holders: dict[str, list[str]] = {}
    for pod in pods:
        if _holds_gpus(pod):
            meta = pod["metadata"]
            name = f"{meta.get('namespace', '')}/{meta['name']}"
            holders.setdefault(pod["spec"].get("nodeName", ""), []).append(name)
    found = (_node(node, holders) for node in nodes)
    return {node.instance_id: node for node in found if node.instance_id}


def _node(node: Mapping[str, Any], holders: Mapping[str, list[str]]) -> ClusterNode:
    meta, spec, status = node["metadata"], node.get("spec", {}), node.get("status", {})
    told = _INSTANCE_ID.search(spec.get("providerID", ""))
    ready, condition = _readiness(status.get("conditions", ()))
    # HyperPod's types begin with ml.
    type_name = meta.get("labels", {}).get(_TYPE_LABEL, "").removeprefix("ml.")
    whole = whole_node(INSTANCE_TYPES[type_name]) if type_name in INSTANCE_TYPES else None
    return ClusterNode(
        name=meta["name"],
        instance_id=told.group() if told else "",
        ready=ready,
        condition=condition,
        taints=tuple(taint["key"] for taint in spec.get("taints") or () if taint.get("effect") in _KEEPS_OFF),
        os_image=status.get("nodeInfo", {}).get("osImage", ""),
        whole=whole,
        lacking=whole.lacking(status.get("allocatable", {})) if whole else "",
        holders=tuple(sorted(holders.get(meta["name"], ()))),
    )


def _readiness(conditions: Iterable[Mapping[str, Any]]) -> tuple[bool, str]:
    for one in conditions:
        if one.get("type") == "Ready":
            if one.get("status") == "True":
                return True, "Ready"
            words = ": ".join(text for text in (one.get("reason", ""), one.get("message", "")) if text)
            return False, f"not ready{f' ({words})' if words else ''}"
    return False, "not ready (it has told nothing of itself)"


def _holds_gpus(pod: Mapping[str, Any]) -> bool:
    """Whether a pod of others holds GPUs, or will as soon as it starts."""
    ours = pod["metadata"].get("labels", {}).get(PART_LABEL) == PART
    if ours or pod.get("status", {}).get("phase") in _ENDED:
        return False
    spec = pod["spec"]
    containers = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    return any(
        str(container.get("resources", {}).get("requests", {}).get(GPU_RESOURCE, "0")) != "0"
        for container in containers
    )
