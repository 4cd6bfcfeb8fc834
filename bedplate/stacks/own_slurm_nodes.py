"""What all nodes share where slurmctld runs on one of them: ParallelCluster's and HyperPod's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.settings import Mount
from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmCommon
from bedplate.stacks.node_containers import node_containers
from bedplate.stacks.storage_stack import StorageStack

SLURM_FOLDER = "/opt/slurm"
PLUGSTACK = f"{SLURM_FOLDER}/etc/plugstack.conf"
"""Beside slurm.conf (AWS ParallelCluster User Guide, "Running containerized jobs with Pyxis"; for HyperPod
awslabs/awsome-distributed-ai)."""


@dataclass(frozen=True, kw_only=True)
class OwnSlurmNodes:
    """``bedplate.stacks.node_settings.Around``; strings may be CDK tokens."""

    environment: str
    result_bucket: str
    mounts: tuple[Mount, ...]
    local_nvme: str
    users_key: str
    gate: str
    containers: Containers | None
    collection: Collection | None


def own_slurm_nodes(
    *, environment: Environment, slurm: SlurmCommon, storage: StorageStack, collection: Collection | None
) -> tuple[OwnSlurmNodes, OwnSlurmNodes]:
    """For all nodes but that of slurmctld, and for that one, which hands the line that loads Pyxis out."""
    nodes = OwnSlurmNodes(
        environment=environment.name,
        result_bucket=storage.results.bucket_name,
        mounts=storage.mounts,
        local_nvme=environment.storage.local_nvme,
        users_key=storage.users_key or "",
        gate=slurm.gate,
        containers=node_containers(slurm, folder=SLURM_FOLDER, plugstack=""),
        collection=collection,
    )
    head = node_containers(slurm, folder=SLURM_FOLDER, plugstack=PLUGSTACK)
    return nodes, replace(nodes, containers=head)
