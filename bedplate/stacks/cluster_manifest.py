"""The manifest of an environment, made of its file and of what its stacks will be."""

from __future__ import annotations

from datetime import datetime

from bedplate.capacity.times import CapacityTimes
from bedplate.lockfile import LockFile
from bedplate.manifest import (
    AssociationManifest,
    ClusterManifest,
    FileSystemManifest,
    LoginManifest,
    ObservabilityManifest,
    Orchestrator,
    PoolManifest,
    ValidationManifest,
    XidPolicyManifest,
)
from bedplate.spec import Environment
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool
from bedplate.stacks.blocks import pool_times
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.deployed_file_system import DeployedFileSystem
from bedplate.stacks.observability_stack import ObservabilityStack
from bedplate.stacks.storage_stack import StorageStack


def cluster_manifest(
    *,
    environment: Environment,
    storage: StorageStack,
    cluster: ComputeCluster,
    observability: ObservabilityStack,
    document_name: str | None,
    lock: LockFile | None,
) -> ClusterManifest:
    """Build the manifest; ids are CDK tokens, which CloudFormation fills in."""
    wanted = environment.validation
    times = pool_times(environment, lock)
    return ClusterManifest(
        environment=environment.name,
        account=environment.account,
        region=environment.region,
        zone_id=environment.network.zone,
        orchestrator=Orchestrator(
            kind=environment.orchestrator.kind,
            cluster_id=cluster.cluster_id,
            cluster_name=cluster.name,
            version=cluster.version,
        ),
        pools=[_pool(pool, environment, cluster, times.get(pool.name)) for pool in environment.pools],
        login=LoginManifest(
            node_group_id=cluster.login_group_id,
            selection_tags=dict(cluster.login_tags),
        ),
        file_systems=[_file_system(each) for each in storage.file_systems],
        local_nvme=environment.storage.local_nvme,
        observability=ObservabilityManifest(
            amp_workspace_id=observability.workspace.workspace_id,
            amp_endpoint=observability.workspace.endpoint,
            alarm_topic_arn=observability.topic_arn,
            grafana_workspace_id=observability.grafana.workspace_id if observability.grafana else None,
            grafana_url=observability.grafana.url if observability.grafana else None,
        ),
        validation=ValidationManifest(
            result_bucket=storage.results.bucket_name,
            command_document=document_name or "",
            dcgm_level=wanted.dcgm_level,
            throughput=wanted.throughput,
            collectives=list(wanted.collectives),
            cover_links=wanted.cover_links,
            waivers={waiver.check: waiver.reason for waiver in wanted.waivers},
            xid_policies=[
                XidPolicyManifest(xid=each.xid, policy=each.policy, reason=each.reason)
                for each in wanted.xid_policies
            ],
            on_failure=wanted.on_failure,
            act_on_at_most_percent=wanted.act_on_at_most_percent,
        ),
        users_key=storage.users_key,
        containers=environment.slurm is not None and environment.slurm.containers.kind != "none",
        collection=environment.observability.collection.kind != "none",
        tags=dict(environment.tags),
    )


def _pool(
    pool: Pool, environment: Environment, cluster: ComputeCluster, times: CapacityTimes | None
) -> PoolManifest:
    hardware = pool_hardware(pool)
    return PoolManifest(
        name=pool.name,
        instance_type=pool.instance_type,
        node_count_min=pool.min_nodes,
        node_count_max=pool.max_nodes,
        node_group_id=cluster.group_ids[pool.name],
        selection_tags=dict(cluster.selection_tags[pool.name]),
        partitions=_partitions(pool, environment),
        expected_gpus_per_node=hardware.gpus,
        expected_efas_per_node=hardware.efa_count,
        capacity_source=pool.capacity.source,
        reservation_id=cluster.reservation_ids[pool.name],
        capacity_start_time=_moment(times.start if times else None),
        capacity_warning_time=_moment(times.warning if times else None),
        capacity_taken_time=_moment(times.taken if times else None),
        capacity_end_time=_moment(times.end if times else None),
    )


def _partitions(pool: Pool, environment: Environment) -> list[str]:
    slurm = environment.slurm
    return [] if slurm is None else [each.name for each in slurm.partitions if pool.name in each.pools]


def _moment(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _file_system(each: DeployedFileSystem) -> FileSystemManifest:
    return FileSystemManifest(
        kind=each.kind,
        created=each.created,
        file_system_id=each.file_system_id,
        mount_source=each.source,
        mount_path=each.path,
        efa=each.efa,
        throughput_mb_per_s=each.throughput_mb_per_s,
        associations=[
            AssociationManifest(
                path=one.path,
                data_repository=one.data_repository,
                imports=list(one.imports),
                exports=list(one.exports),
            )
            for one in each.associations
        ],
    )
