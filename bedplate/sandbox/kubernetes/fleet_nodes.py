"""The nodes of a simulated fleet as Node objects: SIMULATED, as kubelet, device plugins and the cloud
controller would write them, with what the fleet's faults take away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bedplate.hardware.huge_pages import EFA_HUGE_PAGE_KIB, EFA_HUGE_PAGES
from bedplate.node.kubernetes.names import EFA_LABEL, EFA_RESOURCE, GPU_RESOURCE, POOL_LABEL, ROLE_LABEL
from bedplate.sandbox.fleet.fleet import Fleet
from bedplate.sandbox.fleet.leaves import network_nodes
from bedplate.sandbox.fleet.truth import NodeTruth
from bedplate.sandbox.kubernetes.conditions import set_condition
from bedplate.sandbox.kubernetes.kinds import NODES
from bedplate.sandbox.kubernetes.runner import Host
from bedplate.sandbox.kubernetes.store import Object, Store

_PODS = 110
_RESERVED_MIB = 255 + 11 * _PODS + 100
"""Unverified: what EKS's images set aside for the system by the number of pods, and for evictions."""
_RESERVED_CPU_MILLI = 100
"""Of our own choice: a little less than all, as on a real node."""
_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64", "aarch64": "arm64"}
_SILENT_TAINT = "node.kubernetes.io/unreachable"


@dataclass(frozen=True)
class PoolPlace:
    """Where a pool's nodes stand and what its node group gives them."""

    pool: str
    zone: str
    zone_id: str
    node_group: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()

    @property
    def region(self) -> str:
        """Of an ordinary zone, whose name ends with a letter."""
        return self.zone.rstrip("abcdefgh")


class FleetNodes:
    """Ties the compute nodes of a fleet to a played cluster: ``join`` writes the Node objects, ``host_of`` is
    where their pods run.
    """

    def __init__(self, fleet: Fleet, place: PoolPlace) -> None:
        self._fleet = fleet
        self._place = place

    def objects(self) -> list[Object]:
        """The Node objects as they are now, in the order of the fleet's compute nodes."""
        return [
            node_of(self._fleet.truth(instance), self._place, network=network_nodes(place))
            for place, instance in enumerate(self._fleet.compute_nodes())
        ]

    def join(self, store: Store) -> None:
        """Bring the Node objects up to date: new nodes join, those that there are change in what kubelet and
        device plugins report. Labels, taints and cordons that clients set stay, but for the taint of a node
        that fell silent.
        """
        for new in self.objects():
            name = new["metadata"]["name"]
            if store.find(NODES, "", name) is None:
                store.create(NODES, new)
            else:
                store.update(NODES, "", name, partial(reported, new=new, now=store.now()))

    def host_of(self, node: str) -> Host:
        """For ``ProcessRunner``: the simulated node behind a Node object. Raises ``NodeUnreachable``;
        ``KeyError`` for a node that is not of this fleet.
        """
        names = {node_name(self._fleet.truth(one), self._place): one for one in self._fleet.compute_nodes()}
        environment = self._fleet.environment(names[node])
        return Host(environment, self._fleet.truth(names[node]).root)


def nodes_of_fleet(fleet: Fleet, place: PoolPlace) -> list[Object]:
    """The compute nodes of a fleet as Node objects."""
    return FleetNodes(fleet, place).objects()


def node_name(truth: NodeTruth, place: PoolPlace) -> str:
    """As EKS names a node: by its private DNS name."""
    return f"{truth.hostname}.{place.region}.compute.internal"


def node_of(truth: NodeTruth, place: PoolPlace, *, network: Sequence[str]) -> Object:
    """One node of a GPU pool. ``network`` is the network nodes above it, from the top down."""
    name = node_name(truth, place)
    labels = {
        "kubernetes.io/arch": _ARCHITECTURES[truth.hardware.architecture],
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": truth.instance_type,
        "topology.k8s.aws/zone-id": place.zone_id,
        "topology.kubernetes.io/region": place.region,
        "topology.kubernetes.io/zone": place.zone,
        POOL_LABEL: place.pool,
        ROLE_LABEL: "gpu",
        **network_labels(network),
        **({EFA_LABEL: "true"} if truth.hardware.efa_count else {}),
        **({"eks.amazonaws.com/nodegroup": place.node_group} if place.node_group else {}),
        **place.labels,
    }
    return node_object(truth, name=name, zone=place.zone, labels=labels, taints=place.taints)


def network_labels(network: Sequence[str]) -> dict[str, str]:
    """What the cloud controller tells of the network above a node, from the top down."""
    return {f"topology.k8s.aws/network-node-layer-{n}": one for n, one in enumerate(network, start=1)}


def node_object(
    truth: NodeTruth,
    *,
    name: str,
    zone: str,
    labels: Mapping[str, str],
    taints: Sequence[Mapping[str, str]] = (),
) -> Object:
    """A simulated node as kubelet, device plugins and cloud controller would write it."""
    silent = truth.effects.unreachable
    status: dict[str, Any] = {
        "addresses": [
            {"type": "InternalIP", "address": truth.private_ip},
            {"type": "InternalDNS", "address": name},
        ],
        "capacity": _capacity(truth),
        "allocatable": _allocatable(truth),
    }
    ready = _ready(silent=silent)
    set_condition(status, "Ready", holds=not silent, now=truth.booted_at.replace("+00:00", "Z"), **ready)
    if silent:
        status["conditions"][0]["status"] = "Unknown"
    return {
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {
            "providerID": f"aws:///{zone}/{truth.instance_id}",
            "taints": [*taints, *(_silent_taints() if silent else [])],
        },
        "status": status,
    }


def _capacity(truth: NodeTruth) -> dict[str, str]:
    hardware, effects = truth.hardware, truth.effects
    found = {
        "cpu": str(hardware.vcpus),
        "memory": f"{hardware.memory_gib * 1024 * 1024}Ki",
        "pods": str(_PODS),
    }
    pages = EFA_HUGE_PAGES if hardware.efa_count and not effects.no_huge_pages else 0
    found["hugepages-2Mi"] = f"{pages * EFA_HUGE_PAGE_KIB // 1024}Mi"
    # A plug-in advertises what the driver shows: a device that is lost is in neither number.
    if hardware.gpus:
        found[GPU_RESOURCE] = str(len(truth.gpus))
    if hardware.efa_count:
        found[EFA_RESOURCE] = str(len(truth.efas))
    return found


def _allocatable(truth: NodeTruth) -> dict[str, str]:
    found = _capacity(truth)
    pages_mib = int(found["hugepages-2Mi"].removesuffix("Mi"))
    left_kib = truth.hardware.memory_gib * 1024 * 1024 - (pages_mib + _RESERVED_MIB) * 1024
    return {
        **found,
        "cpu": f"{truth.hardware.vcpus * 1000 - _RESERVED_CPU_MILLI}m",
        "memory": f"{left_kib}Ki",
    }


def _ready(*, silent: bool) -> dict[str, str]:
    if silent:
        return {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
    return {"reason": "KubeletReady", "message": "kubelet is posting ready status"}


def _silent_taints() -> list[dict[str, str]]:
    return [{"key": _SILENT_TAINT, "effect": effect} for effect in ("NoSchedule", "NoExecute")]


def reported(found: dict[str, Any], *, new: Object, now: str) -> None:
    """Write into an object what its kubelet reports now."""
    (ready,) = new["status"]["conditions"]
    old = {one["type"]: one for one in found["status"].get("conditions") or ()}.get("Ready", {})
    same = old.get("status") == ready["status"]
    ready = {**ready, "lastTransitionTime": old["lastTransitionTime"] if same else now}
    others = [one for one in found["status"].get("conditions") or () if one["type"] != "Ready"]
    found["status"] = {**found["status"], **new["status"], "conditions": [*others, ready]}
    kept = [one for one in found["spec"].get("taints") or () if one["key"] != _SILENT_TAINT]
    silent = [one for one in new["spec"]["taints"] if one["key"] == _SILENT_TAINT]
    found["spec"]["taints"] = [*kept, *silent]
