"""KUB-001: a Kubernetes node offers exactly the GPUs and EFAs of its type, and says that it is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.parsers.kubernetes_node import Condition, KubernetesNode, count_of
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="KUB-001",
    title="a Kubernetes node offers exactly its GPUs and EFAs",
    what="The `Node` object is of the instance and type that were asked for, is not being deleted, and is "
    "`Ready`; no condition that ends in `Ready` is other than true. `nvidia.com/gpu` and "
    "`vpc.amazonaws.com/efa` are, in capacity and in allocatable, exactly what the hardware table gives the "
    "type; with EFA's DRA driver its `ResourceSlice` objects are counted instead. A node that is being "
    "deleted, or whose kubelet is silent, is not tested.",
    why="The scheduler knows a node by these numbers alone. A job over all nodes waits for ever for the one "
    "EFA that a node does not offer, and the pod's event names no node.",
    fix="Missing altogether: see that the device plugin's pod runs on that node. Too few: compare with "
    "GPU-001 and EFA-001; where the device is there, look at the plugin's list of types and devices, and at "
    "the launch template's EFA layout. Too many: turn time-slicing and MIG off.",
    by_hand="`kubectl get node NAME -o "
    "jsonpath='{.status.capacity}{.status.allocatable}{.status.conditions}'`; "
    "`kubectl get pods -A -o wide --field-selector spec.nodeName=NAME` for the plugins.",
)

GPU_RESOURCE = "nvidia.com/gpu"
EFA_RESOURCE = "vpc.amazonaws.com/efa"
READY = "Ready"
MONITORED = ("AcceleratedHardwareReady", "NetworkingReady")
"""Conditions that EKS's node monitoring agent keeps (EKS User Guide, node-health), beside others."""
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
"""Conditions that are bad where they are true (Kubernetes, "Node Status")."""
HYPERPOD_LABEL = "sagemaker.amazonaws.com/node-health-status"
HYPERPOD_WELL = "Schedulable"
"""HyperPod's word for a node that its own checks let in (SageMaker AI Developer Guide, HyperPod EKS
resiliency)."""


@dataclass(frozen=True)
class _Offer:
    what: str
    resource: str
    wanted: int
    capacity: int | None
    allocatable: int | None
    told: str

    @property
    def least(self) -> int:
        """What pods can have."""
        return min(self.capacity or 0, self.allocatable or 0)

    @property
    def cause(self) -> str:
        """What kind of fault it is; empty where the offer is right."""
        most = max(self.capacity or 0, self.allocatable or 0)
        if most == 0 and self.wanted > 0:
            return "device-plugin-off"
        if most > self.wanted:
            return "device-plugin-shares"
        return "" if self.least == self.wanted == most else "devices-short"


def check(
    *,
    node: str,
    told: Reading[KubernetesNode],
    instance_type: InstanceType,
    efa_devices: Reading[int] | None = None,
    monitored: Sequence[str] = (),
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where the offer is another or the node is not well, not-tested where it is on its way out or
    silent, error where it is not told, else pass.

    ``node`` is the instance's id; ``efa_devices`` is there where EFA's DRA driver offers them: what its
    slices hold. ``monitored`` are conditions that the node owes, such as ``MONITORED``.
    """
    wanted = instance_type.gpus + instance_type.efa_count
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=wanted,
        unit="GPUs and EFAs",
        source="; ".join(instance_type.sources[:1]),
    )
    record = told.record
    if record is None or told.problem:
        return writer.error(f"The Kubernetes node cannot be read: {told.problem or 'it is not there'}")
    if record.instance_id != node:
        return writer.error(f"Node {record.name} is {record.provider_id or 'of no instance'}, not {node}")
    if record.instance_type != instance_type.name:
        kind = record.instance_type or "with no type"
        return writer.error(f"Node {record.name} is labelled {kind}, not {instance_type.name}")
    if record.is_being_deleted:
        return writer.not_tested(f"Node {record.name} is being deleted")
    if record.status_of(READY) not in ("True", "False"):
        return writer.not_tested(
            f"Nobody knows whether node {record.name} is ready: what it offers may be old",
            remedy="See that the instance runs and its kubelet reaches the API server.",
        )
    unwell = _unwell(record)
    if unwell:
        return writer.failed(
            f"Node {record.name} is not ready: {unwell[0]}", cause="node-not-ready", lines=unwell
        )
    return _judge_offers(writer, record, instance_type, efa_devices, monitored)


def _judge_offers(
    writer: Writer,
    record: KubernetesNode,
    kind: InstanceType,
    efa_devices: Reading[int] | None,
    monitored: Sequence[str],
) -> Verdict:
    offers = [_offer("GPUs", GPU_RESOURCE, kind.gpus, record)]
    if efa_devices is None:
        offers.append(_offer("EFAs", EFA_RESOURCE, kind.efa_count, record))
    elif efa_devices.record is not None and not efa_devices.problem:
        count = efa_devices.record
        told = f"the DRA driver's slices hold {count} devices"
        offers.append(_Offer("EFAs", "ResourceSlice", kind.efa_count, count, count, told))
    measured = sum(offer.least for offer in offers)
    lines = [offer.told for offer in offers]
    unread = [offer for offer in offers if None in (offer.capacity, offer.allocatable) and offer.told]
    if unread:
        return writer.error(
            f"What node {record.name} offers cannot be read: {unread[0].told}", measured=measured, lines=lines
        )
    wrong = [offer for offer in offers if offer.cause]
    if wrong:
        summary = ", ".join(f"{offer.least} of {offer.wanted} {offer.what}" for offer in wrong)
        return writer.failed(
            f"Node {record.name} offers {summary}", cause=wrong[0].cause, measured=measured, lines=lines
        )
    if efa_devices is not None and (efa_devices.record is None or efa_devices.problem):
        return writer.error(
            f"The EFAs that node {record.name} offers cannot be counted: "
            f"{efa_devices.problem or 'the driver offers none'}",
            measured=measured,
        )
    silent = [name for name in monitored if name not in record.conditions]
    if silent:
        return writer.not_tested(
            f"Node {record.name} offers all, and does not tell {', '.join(silent)}",
            measured=measured,
            remedy="See that the node monitoring agent's pod runs on the node.",
        )
    summary = f"Node {record.name} offers all {kind.gpus} GPUs and {kind.efa_count} EFAs"
    return writer.passed(summary, measured=measured, findings=_findings(record, efa_devices), lines=lines)


def _offer(what: str, resource: str, wanted: int, record: KubernetesNode) -> _Offer:
    """A resource that is in neither list is offered by nobody; one that is in one of them, or is no whole
    number, cannot be read.
    """
    capacity, allocatable = count_of(record.capacity, resource), count_of(record.allocatable, resource)
    words = (record.capacity.get(resource), record.allocatable.get(resource))
    told = f"{resource}: capacity {words[0] or 'none'}, allocatable {words[1] or 'none'}"
    if words == (None, None) and record.capacity and record.allocatable:
        return _Offer(what, resource, wanted, 0, 0, told)
    return _Offer(what, resource, wanted, capacity, allocatable, told)


def _unwell(record: KubernetesNode) -> list[str]:
    """What the node, or HyperPod, says against it, ``Ready`` first."""
    ordered = sorted(record.conditions.values(), key=lambda each: (each.type != READY, each.type))
    lines = [_line(each) for each in ordered if _is_bad(each)]
    health = record.labels.get(HYPERPOD_LABEL, HYPERPOD_WELL)
    return lines + ([f"HyperPod says {health}"] if health != HYPERPOD_WELL else [])


def _is_bad(condition: Condition) -> bool:
    if condition.type.endswith(READY):
        return condition.status != "True"
    return condition.type in PRESSURES and condition.status != "False"


def _line(condition: Condition) -> str:
    words = " ".join(part for part in (condition.reason, condition.message) if part)
    return f"{condition.type} is {condition.status or 'untold'}" + (f": {words[:160]}" if words else "")


def _findings(record: KubernetesNode, efa_devices: Reading[int] | None) -> list[Finding]:
    found = []
    if efa_devices is not None and count_of(record.allocatable, EFA_RESOURCE):
        found.append(
            warning(
                "EFAs are offered twice, by the device plugin and by the DRA driver",
                remedy="Keep the device plugin off nodes that have the driver: two jobs may get one device.",
            )
        )
    if record.unschedulable:
        found.append(warning("the node is cordoned"))
    return found


def _is_kubernetes(expected: NodeExpectation) -> bool:
    return expected.kubernetes


CHECK = Check(row=ROW, stage=ENGINE, promised=_is_kubernetes)
