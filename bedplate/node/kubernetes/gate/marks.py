"""What the gate writes on a node, and how it reads that again; pure.

The taint is there from the node's first registration (the node group, or the kubelet, sets it). A kubelet
does not put it back after a reboot, so the boot that passed is written beside it.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional

from bedplate.diagnosis.parsers.kubernetes_node import KubernetesNode
from bedplate.node.kubernetes.names import DOMAIN, GATE_TAINT, GATE_TAINT_VALUE

PASSED = f"{DOMAIN}/gate-passed"
"""Annotation: how the gate was opened, ``pair`` or ``alone``."""
BOOT = f"{DOMAIN}/gate-boot"
"""Annotation: the boot that passed it, as the kubelet tells it (``status.nodeInfo.bootID``)."""
BECAUSE = f"{DOMAIN}/gate-because"
SINCE = f"{DOMAIN}/gate-since"
"""Annotation: when a node that had passed was put back before the gate."""
SAYS = f"{DOMAIN}/gate-says"
"""Annotation: why a node still waits."""
_TAINT = {"key": GATE_TAINT, "value": GATE_TAINT_VALUE, "effect": "NoSchedule"}
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def open_patch(node: Mapping[str, Any], *, how: str, boot: str, because: str) -> Dict[str, Any]:
    """Take the taint off, and write down how this boot passed."""
    told = {PASSED: how, BOOT: boot, BECAUSE: because, SAYS: None, SINCE: None}
    return _patch(node, _others(node), told)


def close_patch(node: Mapping[str, Any], *, at: float) -> Dict[str, Any]:
    """Put the taint back, from now on."""
    since = datetime.fromtimestamp(at, timezone.utc).strftime(_TIME)
    told = {PASSED: None, BOOT: None, BECAUSE: None, SINCE: since}
    return _patch(node, [*_others(node), _TAINT], told)


def say_patch(node: Mapping[str, Any], words: str) -> Dict[str, Any]:
    """Say why it waits; its taints stay."""
    return {
        "metadata": {
            "resourceVersion": str(node["metadata"]["resourceVersion"]),
            "annotations": {SAYS: words},
        }
    }


def is_waiting(node: KubernetesNode) -> bool:
    """Whether the gate is closed."""
    return node.has_taint(GATE_TAINT)


def passed_by(node: KubernetesNode) -> str:
    """How this boot passed the gate; empty where it did not."""
    same = bool(node.boot_id) and node.annotations.get(BOOT) == node.boot_id
    return node.annotations.get(PASSED, "") if same and not is_waiting(node) else ""


def has_rebooted(node: KubernetesNode) -> bool:
    """Whether another boot of it passed: this one did not."""
    known = node.annotations.get(BOOT, "")
    return bool(known) and known != node.boot_id and not is_waiting(node)


def waits_since(node: KubernetesNode) -> Optional[datetime]:
    """Since when it waits; None where the node does not tell."""
    for text in (node.annotations.get(SINCE, ""), node.created_at):
        try:
            return datetime.strptime(text, _TIME).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
    return None


def _others(node: Mapping[str, Any]) -> List[Any]:
    taints = (node.get("spec") or {}).get("taints") or []
    return [one for one in taints if one.get("key") != GATE_TAINT]


def _patch(node: Mapping[str, Any], taints: List[Any], told: Mapping[str, Optional[str]]) -> Dict[str, Any]:
    return {
        "metadata": {
            "resourceVersion": str(node["metadata"]["resourceVersion"]),
            "annotations": dict(told),
        },
        "spec": {"taints": taints or None},
    }
