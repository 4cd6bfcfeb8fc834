"""Kubernetes: the patches that cordon a node, taint it and say why, and those that take it back.

Taints are one list that a patch replaces whole (``NodeSpec.taints`` has no merge key), so each patch carries
the taints that were there and the version that was read: whoever changed the node meanwhile is not undone,
the API server answers 409 instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bedplate.validation.actions.model import Action

DOMAIN = "bedplate.io"
TAINT_KEY = f"{DOMAIN}/fault"
PLAN_LABEL = f"{DOMAIN}/plan"
REASON_ANNOTATION = f"{DOMAIN}/reason"
WAS_CORDONED = f"{DOMAIN}/was-cordoned"
_LONGEST = 63
_LEGAL = re.compile(r"^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$")
"""A label's value: at most 63 of these, letters or digits at both ends; it may be empty (Kubernetes,
"Labels and Selectors"). A taint's value follows the same rule."""


def is_legal_value(value: str) -> bool:
    """Whether the API server takes this as a label's or taint's value."""
    return _LEGAL.match(value) is not None and "\n" not in value


def legal_value(text: str) -> str:
    """A label's value that stays as near to ``text`` as the rules allow; never one that they refuse."""
    value = re.sub(r"[^-A-Za-z0-9_.]+", "-", text)[:_LONGEST]
    return value.strip("-_.")


def cordon_patch(*, node: Mapping[str, Any], action: Action, plan_id: str) -> dict[str, Any]:
    """The merge patch (``application/merge-patch+json``) that takes a node out of service.

    ``node`` is the node as the API server tells it now. Raises ``ValueError`` for another instance's node.
    """
    _same_instance(node, action)
    metadata, spec = node["metadata"], node.get("spec") or {}
    taint = {"key": TAINT_KEY, "value": legal_value(action.cause), "effect": "NoSchedule"}
    others = [one for one in spec.get("taints") or [] if one.get("key") != TAINT_KEY]
    known = (metadata.get("annotations") or {}).get(WAS_CORDONED)
    before = known if known is not None else str(bool(spec.get("unschedulable"))).lower()
    return {
        "metadata": {
            "resourceVersion": metadata["resourceVersion"],
            "labels": {PLAN_LABEL: legal_value(plan_id)},
            "annotations": {REASON_ANNOTATION: action.reason or action.why, WAS_CORDONED: before},
        },
        "spec": {"unschedulable": True, "taints": [*others, taint]},
    }


def uncordon_patch(*, node: Mapping[str, Any], plan_id: str) -> dict[str, Any] | None:
    """The merge patch that takes back what a plan did; None where the node is not that plan's.

    A node that was cordoned before stays so; taints of others stay.
    """
    metadata, spec = node["metadata"], node.get("spec") or {}
    if (metadata.get("labels") or {}).get(PLAN_LABEL) != legal_value(plan_id):
        return None
    was = (metadata.get("annotations") or {}).get(WAS_CORDONED) == "true"
    return {
        "metadata": {
            "resourceVersion": metadata["resourceVersion"],
            "labels": {PLAN_LABEL: None},
            "annotations": {REASON_ANNOTATION: None, WAS_CORDONED: None},
        },
        "spec": {
            "unschedulable": True if was else None,
            "taints": [one for one in spec.get("taints") or [] if one.get("key") != TAINT_KEY] or None,
        },
    }


def _same_instance(node: Mapping[str, Any], action: Action) -> None:
    """``spec.providerID`` ends in the instance id: ``aws:///us-west-2a/i-0abc``."""
    provider = str((node.get("spec") or {}).get("providerID", ""))
    if provider.rpartition("/")[2] != action.node:
        raise ValueError(f"node {node['metadata'].get('name')} is {provider or 'nobody'}, not {action.node}")
