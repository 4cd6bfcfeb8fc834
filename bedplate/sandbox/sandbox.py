"""Everything one running sandbox shares: its nodes, its records of services that moto lacks, its options."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bedplate.sandbox.builds.records import BuildRecords
from bedplate.sandbox.eks.apis import PlayedApis
from bedplate.sandbox.eks.records import EksRecords
from bedplate.sandbox.grafana.records import GrafanaRecords
from bedplate.sandbox.nodes import NodeFleet
from bedplate.sandbox.options import SandboxOptions


@dataclass
class PcsRecords:
    """Clusters, node groups and queues by id, as the API tells them; ``instances``: group → instance ids,
    ``names``: group → instance id → name in Slurm.
    """

    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    node_groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    queues: dict[str, dict[str, Any]] = field(default_factory=dict)
    instances: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)

    def groups_of(self, cluster_id: str) -> list[dict[str, Any]]:
        """The node groups of one cluster."""
        return [group for group in self.node_groups.values() if group["clusterId"] == cluster_id]

    def queues_of(self, cluster_id: str) -> list[dict[str, Any]]:
        """The queues of one cluster."""
        return [queue for queue in self.queues.values() if queue["clusterId"] == cluster_id]


@dataclass
class FsxRecords:
    """File systems, their volumes and associations by id, as the API tells them; ``interfaces``: file system
    → interface.
    """

    file_systems: dict[str, dict[str, Any]] = field(default_factory=dict)
    associations: dict[str, dict[str, Any]] = field(default_factory=dict)
    volumes: dict[str, dict[str, Any]] = field(default_factory=dict)
    interfaces: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HyperPodNode:
    """One instance of a HyperPod cluster: EC2 shows nothing of it but its interface. ``slurm_name`` is empty
    where Slurm does not know it.
    """

    instance_id: str
    cluster_arn: str
    group: str
    instance_type: str
    subnet_id: str
    interface_id: str
    private_ip: str
    slurm_name: str
    launched: datetime


@dataclass
class HyperPodRecords:
    """Clusters by ARN, as DescribeCluster tells them, and their nodes by instance id in order of launch."""

    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: dict[str, HyperPodNode] = field(default_factory=dict)

    def nodes_of(self, cluster_arn: str, group: str | None = None) -> list[HyperPodNode]:
        """The nodes of one cluster, or of one group of it."""
        return [
            each
            for each in self.nodes.values()
            if each.cluster_arn == cluster_arn and group in (None, each.group)
        ]


@dataclass
class PlayedParallelCluster:
    """A cluster of ParallelCluster. ``instances``: group (``head``, ``login``, a compute resource) → instance
    ids; ``names``: instance id → name in Slurm.
    """

    name: str
    version: str
    configuration: dict[str, Any]
    instances: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


@dataclass
class ParallelClusterRecords:
    """Clusters by name; ``providers``: token of the provider's function → version."""

    clusters: dict[str, PlayedParallelCluster] = field(default_factory=dict)
    providers: dict[str, str] = field(default_factory=dict)


@dataclass
class Sandbox:
    """One running sandbox."""

    state_dir: Path
    endpoint: str
    fleet: NodeFleet
    options: SandboxOptions = field(default_factory=SandboxOptions)
    pcs: PcsRecords = field(default_factory=PcsRecords)
    parallelcluster: ParallelClusterRecords = field(default_factory=ParallelClusterRecords)
    fsx: FsxRecords = field(default_factory=FsxRecords)
    eks: EksRecords = field(default_factory=EksRecords)
    kubernetes: PlayedApis = field(init=False)
    hyperpod: HyperPodRecords = field(default_factory=HyperPodRecords)
    builds: BuildRecords = field(default_factory=BuildRecords)
    grafana: GrafanaRecords = field(default_factory=GrafanaRecords)
    placement_groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    capacity_reservations: dict[str, dict[str, Any]] = field(default_factory=dict)
    launched_into: dict[str, str] = field(default_factory=dict)
    """Instance id → the capacity reservation that it takes a place of."""

    def __post_init__(self) -> None:
        self.kubernetes = PlayedApis(self.fleet)

    def instances(self) -> list[str]:
        """Every instance that belongs to a cluster, whichever service runs it."""
        groups = [*self.pcs.instances.values()]
        for cluster in self.parallelcluster.clusters.values():
            groups += cluster.instances.values()
        groups += [list(each.nodes) for each in self.eks.clusters.values()]
        return [instance for group in groups for instance in group]
