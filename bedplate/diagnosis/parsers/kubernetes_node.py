"""A ``Node`` as Kubernetes' API tells it: what it offers to pods, its conditions, taints and marks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.diagnosis.parsers.kubernetes_object import (
    items_of,
    listing,
    mapping,
    metadata_of,
    read_document,
    word,
    words,
)
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import whole

TOOL = "kubectl get node"
_INSTANCE = re.compile(r"(?:^|/)(i-[0-9a-f]{8,17})$")
_TYPE_LABEL = "node.kubernetes.io/instance-type"


@dataclass(frozen=True)
class Taint:
    """One taint; the value may be empty."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True)
class Condition:
    """``status`` is ``True``, ``False`` or ``Unknown``, or whatever else was told."""

    type: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True)
class KubernetesNode:
    """One node. ``capacity`` and ``allocatable`` hold quantities as they were told, by resource.

    ``conditions`` has each type once: of two that contradict each other the one that is no ``True`` counts.
    """

    name: str
    provider_id: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    taints: tuple[Taint, ...]
    unschedulable: bool
    capacity: Mapping[str, str]
    allocatable: Mapping[str, str]
    conditions: Mapping[str, Condition]
    is_being_deleted: bool
    boot_id: str
    created_at: str
    resource_version: str
    address: str

    @property
    def instance_id(self) -> str:
        """Its EC2 instance (``aws:///us-west-2a/i-0abc``, or HyperPod's longer form); empty for none."""
        match = _INSTANCE.search(self.provider_id)
        return "" if match is None else match.group(1)

    @property
    def instance_type(self) -> str:
        """Its type, by the label that the cloud provider sets."""
        return self.labels.get(_TYPE_LABEL, "")

    def has_taint(self, key: str) -> bool:
        """Whether it has a taint of this key, of whatever value and effect."""
        return any(each.key == key for each in self.taints)

    def status_of(self, condition: str) -> str:
        """A condition's status; empty where the node does not tell it."""
        found = self.conditions.get(condition)
        return "" if found is None else found.status


def count_of(quantities: Mapping[str, str], resource: str) -> int | None:
    """How many of an extended resource; None where it is not told, or as no whole number.

    The API server writes them without a suffix below a thousand.
    """
    return whole(quantities.get(resource, ""))


def parse_kubernetes_node(text: str) -> KubernetesNode:
    """Read one node (``kubectl get node NAME -o json``)."""
    return read_kubernetes_node(read_document(text, tool=TOOL))


def parse_kubernetes_nodes(text: str) -> tuple[KubernetesNode, ...]:
    """Read a whole list of nodes; ParseError where a node is there twice, or the list is cut."""
    items = items_of(read_document(text, tool=TOOL), tool=TOOL)
    nodes = tuple(read_kubernetes_node(item) for item in items)
    if len({node.name for node in nodes}) != len(nodes):
        raise ParseError(tool=TOOL, reason="a node is there twice")
    return nodes


def read_kubernetes_node(item: object) -> KubernetesNode:
    """Read a node from an answer of the API; ParseError where it is none, or a part has another form."""
    metadata = metadata_of(item, kind="Node", tool=TOOL)
    spec, status = _part(item, "spec"), _part(item, "status")
    return KubernetesNode(
        name=word(metadata.get("name")),
        provider_id=word(spec.get("providerID")),
        labels=words(metadata.get("labels")),
        annotations=words(metadata.get("annotations")),
        taints=_taints(spec.get("taints")),
        unschedulable=spec.get("unschedulable") not in (None, False),
        capacity=_quantities(status.get("capacity")),
        allocatable=_quantities(status.get("allocatable")),
        conditions=_conditions(status.get("conditions")),
        is_being_deleted=metadata.get("deletionTimestamp") is not None,
        boot_id=word(mapping(status.get("nodeInfo")).get("bootID")),
        created_at=word(metadata.get("creationTimestamp")),
        resource_version=word(metadata.get("resourceVersion")),
        address=_address(status.get("addresses")),
    )


def _part(item: object, name: str) -> Mapping[str, Any]:
    part = mapping(item).get(name)
    if not isinstance(part, dict):
        raise ParseError(tool=TOOL, reason=f"a Node has no {name}")
    return part


def _taints(value: object) -> tuple[Taint, ...]:
    """All of them; ParseError for one that cannot be read: a node with fewer taints looks better."""
    if value is not None and not isinstance(value, list):
        raise ParseError(tool=TOOL, reason="a Node's taints are no list")
    found = []
    for each in listing(value):
        told = mapping(each)
        taint = Taint(word(told.get("key")), word(told.get("value")), word(told.get("effect")))
        if not taint.key or not taint.effect:
            raise ParseError(tool=TOOL, reason="a taint has no key or no effect")
        found.append(taint)
    return tuple(found)


def _quantities(value: object) -> dict[str, str]:
    """Quantities are strings, and numbers where somebody wrote them so."""
    told = mapping(value)
    numbers = {key: str(each) for key, each in told.items() if type(each) is int}
    return {**numbers, **words(told)}


def _conditions(value: object) -> dict[str, Condition]:
    found: dict[str, Condition] = {}
    for each in listing(value):
        told = mapping(each)
        condition = Condition(
            word(told.get("type")),
            word(told.get("status")),
            word(told.get("reason")),
            word(told.get("message")),
        )
        if not condition.type:
            raise ParseError(tool=TOOL, reason="a condition has no type")
        known = found.get(condition.type)
        if known is None or known.status == "True":
            found[condition.type] = condition
    return found


def _address(value: object) -> str:
    """Its address inside the VPC; empty where it is not told."""
    told = [mapping(each) for each in listing(value)]
    return next((word(each.get("address")) for each in told if each.get("type") == "InternalIP"), "")
