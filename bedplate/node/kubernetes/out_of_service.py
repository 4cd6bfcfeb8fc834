"""The patches that take a Kubernetes node out of service and say why, and those that take that back; pure.

JSON merge patches. A node's taints are one list, which such a patch replaces whole: so each carries the
taints that were there, and the version that was read. Whoever changed the node meanwhile is not undone; the
API server answers 409 instead, and the node is read anew. No pod is evicted: what runs goes on.

What was done is written down on the node itself, so that taking it back lifts that alone: a node that a
person had cordoned stays cordoned, and a taint that a person has changed since stays as it is.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Optional

from bedplate.node.kubernetes.legal_values import legal_value
from bedplate.node.kubernetes.names import DOMAIN, DRAIN_TAINT

PLAN_LABEL = f"{DOMAIN}/plan"
"""Which plan, or the gate, keeps the node out; its value is a legal form of the plan's id."""
REASON_ANNOTATION = f"{DOMAIN}/reason"
"""The whole reason."""
DONE_ANNOTATION = f"{DOMAIN}/done"
"""What was changed, as JSON."""
EFFECT = "NoSchedule"


class NotOursError(Exception):
    """Somebody else keeps the node out of service, in a way that this would write over."""


@dataclass(frozen=True)
class Done:
    """What a plan changed on a node: the taint's value, and whether it cordoned it."""

    plan: str
    taint: str
    cordoned: bool


def out_patch(node: Mapping[str, Any], *, plan: str, check_id: str, reason: str) -> Dict[str, Any]:
    """Cordon the node, taint it with the check that it failed, and say which plan did so and why.

    ``node`` is as the API server tells it now. Raises ``NotOursError`` where our taint is there and no plan
    of ours says that it set it. A later plan takes over what an earlier one did.
    """
    spec = _part(node, "spec")
    before = done_by(node)
    if before is None and any(_key(taint) == DRAIN_TAINT for taint in _taints(node)):
        raise NotOursError(f"it has the taint {DRAIN_TAINT}, which no plan of ours has set")
    value = legal_value(check_id.lower())
    cordons = before.cordoned if before is not None else not spec.get("unschedulable")
    done = Done(plan, value, cordons)
    return {
        "metadata": {
            "resourceVersion": _version(node),
            "labels": {PLAN_LABEL: legal_value(plan)},
            "annotations": {
                REASON_ANNOTATION: reason,
                DONE_ANNOTATION: json.dumps(asdict(done), sort_keys=True),
            },
        },
        "spec": {
            "unschedulable": True,
            "taints": [
                *_without(_taints(node), before),
                {"key": DRAIN_TAINT, "value": value, "effect": EFFECT},
            ],
        },
    }


def back_patch(node: Mapping[str, Any], *, plan: str) -> Optional[Dict[str, Any]]:
    """Take back what a plan did; None where the node is not that plan's, or does not say what was done."""
    done = done_by(node)
    if done is None or done.plan != plan:
        return None
    unschedulable = bool(_part(node, "spec").get("unschedulable"))
    return {
        "metadata": {
            "resourceVersion": _version(node),
            "labels": {PLAN_LABEL: None},
            "annotations": {REASON_ANNOTATION: None, DONE_ANNOTATION: None},
        },
        "spec": {
            "unschedulable": True if unschedulable and not done.cordoned else None,
            "taints": _without(_taints(node), done) or None,
        },
    }


def done_by(node: Mapping[str, Any]) -> Optional[Done]:
    """What was done to the node, as it says itself; None where it says nothing that can be read and that its
    label bears out.
    """
    metadata = _part(node, "metadata")
    try:
        told = json.loads((metadata.get("annotations") or {})[DONE_ANNOTATION])
        done = Done(str(told["plan"]), str(told["taint"]), told["cordoned"] is True)
        labelled = (metadata.get("labels") or {}).get(PLAN_LABEL)
    except (KeyError, TypeError, ValueError):
        return None
    return done if labelled == legal_value(done.plan) else None


def reason_on(node: Mapping[str, Any]) -> str:
    """The reason that we gave; empty where the node is not kept out by us."""
    if done_by(node) is None:
        return ""
    return str(_part(node, "metadata").get("annotations", {}).get(REASON_ANNOTATION, ""))


def _without(taints: List[Any], done: Optional[Done]) -> List[Any]:
    """All but the one that we set, as we set it."""
    if done is None:
        return taints
    ours = (DRAIN_TAINT, done.taint, EFFECT)
    return [one for one in taints if (_key(one), one.get("value"), one.get("effect")) != ours]


def _taints(node: Mapping[str, Any]) -> List[Any]:
    return list(_part(node, "spec").get("taints") or [])


def _key(taint: Any) -> Any:
    return taint.get("key")


def _version(node: Mapping[str, Any]) -> str:
    return str(_part(node, "metadata")["resourceVersion"])


def _part(node: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return node.get(name) or {}
