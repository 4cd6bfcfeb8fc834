"""Whether a pod fits a node, and the scheduler's word for why it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from bedplate.sandbox.kubernetes.quantities import quantity
from bedplate.sandbox.kubernetes.store import Object

Free = Mapping[str, Fraction]
ENDED = ("Succeeded", "Failed")
_CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_BLOCKING = ("NoSchedule", "NoExecute")
_NO_MATCH = "node(s) didn't match Pod's node affinity/selector"
_NO_VICTIMS = "No preemption victims found for incoming pod"
_NO_HELP = "Preemption is not helpful for scheduling"


def requests_of(pod: Object) -> dict[str, Fraction]:
    """What a pod takes of its node: its containers together, or its greediest init container where that is
    more.
    """
    spec = pod["spec"]
    total: dict[str, Fraction] = {}
    for container in spec.get("containers") or ():
        for name, amount in _requests(container).items():
            total[name] = total.get(name, Fraction(0)) + amount
    for container in spec.get("initContainers") or ():
        for name, amount in _requests(container).items():
            total[name] = max(total.get(name, Fraction(0)), amount)
    return {**total, "pods": Fraction(1)}


def free_of_all(nodes: Iterable[Object], pods: Iterable[Object]) -> dict[str, dict[str, Fraction]]:
    """What is left of each node, by name, beside the pods on it that have not ended."""
    free = {node["metadata"]["name"]: _offered(node) for node in nodes}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node in free and (pod.get("status") or {}).get("phase") not in ENDED:
            take(free[node], pod)
    return free


def take(free: dict[str, Fraction], pod: Object) -> None:
    """Count a pod's requests off what its node has left."""
    for name, amount in requests_of(pod).items():
        if name in free:
            free[name] -= amount


def _offered(node: Object) -> dict[str, Fraction]:
    status = node.get("status") or {}
    offered = status.get("allocatable") or status.get("capacity") or {}
    return {name: quantity(amount) for name, amount in offered.items()}


def reasons_against(pod: Object, node: Object, free: Free) -> list[str]:
    """Why the pod cannot go to the node: by the first of the scheduler's filters that turns it away."""
    spec, node_spec = pod["spec"], node.get("spec") or {}
    if node_spec.get("unschedulable") and not _tolerates(spec, _CORDON):
        return ["node(s) were unschedulable"]
    for taint in node_spec.get("taints") or ():
        if taint["effect"] in _BLOCKING and not _tolerates(spec, taint):
            return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"]
    if not _selects(spec, node):
        return [_NO_MATCH]
    short = []
    for name, amount in requests_of(pod).items():
        if name == "pods" and "pods" not in free:
            continue
        if amount > free.get(name, Fraction(0)):
            short.append("Too many pods" if name == "pods" else f"Insufficient {name}")
    return short


def message_of(reasons: Sequence[Sequence[str]]) -> str:
    """The scheduler's message from the reasons of each node, in the shape of the real one."""
    if not reasons:
        return "no nodes available to schedule pods"
    head = f"0/{len(reasons)} nodes are available: "
    why = _counted(reason for one in reasons for reason in one)
    preemption = _counted(_NO_VICTIMS if _is_short(one) else _NO_HELP for one in reasons)
    return f"{head}{why}. preemption: {head}{preemption}."


def _is_short(reasons: Sequence[str]) -> bool:
    return reasons[0].startswith(("Insufficient", "Too many"))


def _counted(reasons: Iterable[str]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in Counter(reasons).items()))


def _requests(container: Mapping[str, Any]) -> dict[str, Fraction]:
    found = (container.get("resources") or {}).get("requests") or {}
    return {name: quantity(amount) for name, amount in found.items()}


def _tolerates(spec: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    return any(_matches(one, taint) for one in spec.get("tolerations") or ())


def _matches(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if not toleration.get("key"):
        return toleration.get("operator") == "Exists"
    if toleration["key"] != taint["key"]:
        return False
    exists = toleration.get("operator") == "Exists"
    return exists or (toleration.get("value") or "") == (taint.get("value") or "")


def _selects(spec: Mapping[str, Any], node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_term(term, node) for term in required["nodeSelectorTerms"])


def _term(term: Mapping[str, Any], node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    tests = [(labels, one) for one in term.get("matchExpressions") or ()]
    tests += [(fields, one) for one in term.get("matchFields") or ()]
    # A term without requirements selects nothing.
    return bool(tests) and all(_expression(values, one) for values, one in tests)


def _expression(values: Mapping[str, str], one: Mapping[str, Any]) -> bool:
    word: str = one["operator"]
    key: str = one["key"]
    wanted: Sequence[str] = one.get("values") or ()
    if word in ("In", "NotIn"):
        return (values.get(key) in wanted) == (word == "In")
    if word in ("Exists", "DoesNotExist"):
        return (key in values) == (word == "Exists")
    try:
        found, bound = int(values[key]), int(wanted[0])
    except (KeyError, ValueError):
        return False
    return found > bound if word == "Gt" else found < bound
