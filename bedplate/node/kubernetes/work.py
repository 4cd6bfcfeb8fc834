"""Whether a pod is work that a node is not ended under, or merely part of the node; pure."""

from __future__ import annotations

from typing import Any, Mapping

MIRROR = "kubernetes.io/config.mirror"
"""Annotation of a static pod's mirror (Kubernetes, "Create static Pods")."""


def is_work(pod: Mapping[str, Any]) -> bool:
    """Everything but what has ended, what a DaemonSet runs on each node, and static pods. What cannot be told
    apart is work.
    """
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    if status.get("phase") in ("Succeeded", "Failed"):
        return False
    owners = metadata.get("ownerReferences") or []
    of_node = any(each.get("kind") in ("DaemonSet", "Node") and each.get("controller") for each in owners)
    return not of_node and MIRROR not in (metadata.get("annotations") or {})
