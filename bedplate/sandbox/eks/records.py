"""EKS clusters as the sandbox remembers them.

Whoever plays a cluster's Kubernetes API takes its objects and nodes from :func:`kubernetes_objects` and
:func:`kubernetes_nodes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.sandbox.eks.objects import KubernetesObjects

Row = dict[str, Any]


@dataclass(frozen=True)
class HelmRelease:
    """A release as it was asked for, and what the ``helm`` program rendered of it.

    ``rendered_by``: ``chart`` where the chart was at hand, ``echo`` where a chart of ours stood in, which
    proves that every value arrives and nothing of what the real chart makes of them; ``documents`` is then
    empty.
    """

    name: str
    namespace: str
    chart: str
    repository: str
    version: str
    values: Mapping[str, Any]
    rendered_by: str
    documents: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class EksNode:
    """One instance as its kubelet would register it: of a managed node group, or of a HyperPod cluster.

    ``instance_type`` is EC2's name; ``efa_count`` is None for as many as the type usually has.
    """

    instance_id: str
    name: str
    group: str
    instance_type: str
    private_ip: str
    zone: str
    zone_id: str
    efa_count: int | None
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]


@dataclass
class PlayedEksCluster:
    """A cluster: ``described``, ``node_groups``, ``addons``, ``access_entries`` and ``pod_identities`` hold
    what the API tells; ``nodes`` and ``hyperpod_nodes`` are by instance id in order of launch, ``releases``
    by namespace and name.
    """

    account: str
    region: str
    described: Row
    node_groups: dict[str, Row] = field(default_factory=dict)
    nodes: dict[str, EksNode] = field(default_factory=dict)
    hyperpod_nodes: dict[str, EksNode] = field(default_factory=dict)
    addons: dict[str, Row] = field(default_factory=dict)
    access_entries: dict[str, Row] = field(default_factory=dict)
    access_policies: dict[str, list[Row]] = field(default_factory=dict)
    pod_identities: dict[str, Row] = field(default_factory=dict)
    releases: dict[tuple[str, str], HelmRelease] = field(default_factory=dict)
    objects: KubernetesObjects = field(default_factory=KubernetesObjects)
    interfaces: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The cluster's name."""
        return str(self.described["name"])

    def nodes_of(self, group: str) -> list[EksNode]:
        """The nodes of one group."""
        return [node for node in self.nodes.values() if node.group == group]


@dataclass
class EksRecords:
    """Every cluster by account, Region and name."""

    clusters: dict[tuple[str, str, str], PlayedEksCluster] = field(default_factory=dict)

    def find(self, account: str, region: str, name: str) -> PlayedEksCluster | None:
        """The cluster of that name, or None."""
        return self.clusters.get((account, region, name))

    def of(self, account: str, region: str) -> Iterator[PlayedEksCluster]:
        """The clusters of one account and Region."""
        return (each for key, each in self.clusters.items() if key[:2] == (account, region))

    def owner_of(self, instance_id: str) -> tuple[PlayedEksCluster, Row] | None:
        """The cluster and the node group that an instance belongs to, or None."""
        for cluster in self.clusters.values():
            node = cluster.nodes.get(instance_id)
            if node is not None:
                return cluster, cluster.node_groups[node.group]
        return None


def kubernetes_objects(cluster: PlayedEksCluster) -> list[Mapping[str, Any]]:
    """Every object that the cluster was given: by manifests, and by releases whose charts were at hand."""
    released = [document for release in cluster.releases.values() for document in release.documents]
    return [*released, *cluster.objects.all()]


def kubernetes_nodes(cluster: PlayedEksCluster) -> list[EksNode]:
    """Every node of the cluster, in order of launch."""
    return [*cluster.nodes.values(), *cluster.hyperpod_nodes.values()]
