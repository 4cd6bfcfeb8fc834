"""From a pool, or from what stands beside the pools, to the settings of its nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from bedplate.hardware import InstanceType
from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Containers
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.spec.pools import Pool


class Around(Protocol):
    """What all nodes of a cluster share; strings may be CDK tokens."""

    @property
    def environment(self) -> str:
        """The environment's name."""

    @property
    def result_bucket(self) -> str:
        """Takes boot reports."""

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The file systems, in the order of the environment file."""

    @property
    def local_nvme(self) -> str:
        """``raid0`` or ``none``."""

    @property
    def users_key(self) -> str:
        """Key of the list of users in the bucket, empty where there is none."""

    @property
    def gate(self) -> str:
        """``pair`` or ``node``."""

    @property
    def containers(self) -> Containers | None:
        """What nodes are told about Enroot and Pyxis, None where they have none."""

    @property
    def collection(self) -> Collection | None:
        """What nodes are told about their metrics, None where none are collected."""


def pool_settings(
    pool: Pool, *, hardware: InstanceType, around: Around, prolog_is_ours: bool = False
) -> NodeSettings:
    """The settings of a pool's nodes. ``prolog_is_ours``: nothing but Bedplate's hooks sets up IMEX (PCS)."""
    efa_file_system = any(mount.efa for mount in around.mounts)
    return NodeSettings(
        environment=around.environment,
        pool=pool.name,
        role="compute",
        result_bucket=around.result_bucket,
        gpus=hardware.gpus,
        nvme_count=hardware.nvme_count,
        nvme_gb_each=hardware.nvme_gb_each,
        local_nvme=around.local_nvme,
        efa_count=hardware.efa_count,
        lnet_efa_count=hardware.lnet_efa_count if efa_file_system else 0,
        mounts=around.mounts,
        instance_type=hardware.name,
        users_key=around.users_key,
        gate=around.gate if _has_a_gate_of_pairs(pool, hardware) else "node",
        containers=around.containers,
        collection=around.collection,
        imex=prolog_is_ours and hardware.needs_imex,
    )


def _has_a_gate_of_pairs(pool: Pool, hardware: InstanceType) -> bool:
    """Not where a node comes for a job that is placed on it already: refused there the job would have the
    next node launched. And not where nodes have no EFA to run a pair over.
    """
    return pool.min_nodes == pool.max_nodes and hardware.efa_count > 0


def settings_beside_pools(
    name: str,
    *,
    around: Around,
    cluster_filter: str = "",
    region: str = "",
    keeps_gate: bool = False,
    slurm_version: str = "",
    serves_metrics: bool = False,
) -> NodeSettings:
    """The settings of nodes that take no jobs: login nodes, and a head node of one's own, which keeps Slurm's
    topology where ``cluster_filter`` says whose. ``keeps_gate`` on those that let other nodes in, with the
    clients of ``slurm_version`` where the image may have several; they tell what Slurm says of all nodes and
    jobs, too, and scrape slurmctld where it ``serves_metrics`` of its own.
    """
    collection = around.collection
    if collection is not None and keeps_gate:
        collection = replace(collection, slurm=True, slurmctld=serves_metrics)
    return NodeSettings(
        cluster_filter=cluster_filter,
        region=region,
        environment=around.environment,
        pool=name,
        role="login",
        result_bucket=around.result_bucket,
        mounts=around.mounts,
        users_key=around.users_key,
        gate=around.gate if keeps_gate else "node",
        slurm_version=slurm_version if keeps_gate else "",
        containers=around.containers,
        collection=collection,
    )
