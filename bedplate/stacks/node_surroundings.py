"""What all nodes of a cluster have in common."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.constructs.node_bootstrap import NodeBootstrap
from bedplate.constructs.node_program import NodeProgram
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.settings import Mount, NodeSettings


@dataclass(frozen=True, kw_only=True)
class NodeSurroundings:
    """The cluster, the network and the storage around its nodes; strings may be CDK tokens.

    ``zone_id`` is where the GPU nodes stand. ``mounts`` are the file systems, in the order of the
    environment file. ``result_bucket`` takes boot reports; ``local_nvme`` is ``raid0`` or ``none``.
    ``users_key`` is the key of the list of users in the bucket, empty where there is none. ``gate`` is what
    nodes have to pass, ``slurm_version`` the cluster's, ``containers`` Enroot and Pyxis (None: nodes have
    none), ``collection`` their metrics (None: none are collected);
    slurmctld ``serves_metrics`` of its own, or not.
    """

    environment: str
    cluster_id: str
    zone_id: str
    subnet_id: str
    security_group_id: str
    instance_profile_arn: str
    program: NodeProgram
    result_bucket: str
    mounts: tuple[Mount, ...]
    local_nvme: str
    users_key: str = ""
    gate: str = "node"
    slurm_version: str = ""
    containers: Containers | None = None
    collection: Collection | None = None
    serves_metrics: bool = False

    def user_data(self, settings: NodeSettings) -> str:
        """The user data of a node with these settings."""
        return NodeBootstrap(
            settings=settings,
            program_bucket=self.program.bucket_name,
            program_key=self.program.key,
            program_sha256=self.program.sha256,
        ).user_data()
