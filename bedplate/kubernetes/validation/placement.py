"""How a pod of an Indexed Job gets its one node: it is born behind a gate, told its node, and let go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bedplate.kubernetes.validation.names import PLACE_GATE


def gates() -> list[dict[str, str]]:
    """Of a pod that has no node yet: the scheduler does not look at it."""
    return [{"name": PLACE_GATE}]


def placed(node_name: str) -> dict[str, Any]:
    """The merge patch that binds a gated pod to a node and lifts the gate, both or neither.

    By the node's name as a field, not by a label: a label can be shared. ``spec.nodeName`` would go past the
    scheduler, and so past what others have asked for on the node; the API refuses it beside a gate.
    """
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_name]}]}
    required = {"nodeSelectorTerms": [term]}
    return {
        "spec": {
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}},
            # A merge patch replaces lists as a whole; null takes the field away.
            "schedulingGates": None,
        }
    }


def tolerations(keys: Iterable[str]) -> list[dict[str, str]]:
    """Of every taint with one of these keys, whatever its value and its effect."""
    return [{"key": key, "operator": "Exists"} for key in sorted(set(keys))]
