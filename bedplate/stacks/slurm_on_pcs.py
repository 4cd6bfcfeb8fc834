"""From an environment to its Slurm cluster on AWS PCS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.capacity.images import login_architecture
from bedplate.constructs.block_scaler import BlockScaler
from bedplate.constructs.node_program import NodeProgram
from bedplate.constructs.node_role import NodeRole
from bedplate.constructs.pcs_cluster import PcsCluster
from bedplate.constructs.pcs_logs import PcsLogs
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.constructs.pcs_queue import PcsQueue
from bedplate.hardware import instance_type
from bedplate.slurm.own_metrics import own_metrics
from bedplate.slurm.pcs_cluster_shape import cluster_name, controller_index, most_instances
from bedplate.slurm.settings import SCALE_DOWN_IDLE_SECONDS, cluster_settings, queue_settings
from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.stacks.blocks import block_node_groups
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.images import image_id
from bedplate.stacks.login_nodes import LoginNodes
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.node_collection import NodeCollection
from bedplate.stacks.node_containers import container_objects, node_containers
from bedplate.stacks.node_surroundings import NodeSurroundings
from bedplate.stacks.pool_nodes import PoolNodes
from bedplate.stacks.storage_stack import StorageStack

CLUSTER_TAG = "aws:pcs:cluster-id"
NODE_GROUP_TAG = "aws:pcs:compute-node-group-id"
"""Tags that PCS puts on the instances of a cluster, and of a node group."""
SLURM_FOLDER = "/opt/aws/pcs/scheduler/slurm-{version}"
PLUGSTACK = "/etc/aws/pcs/scheduler/slurm-{version}/plugstack.conf.d/bedplate-pyxis.conf"
"""PCS User Guide, "Install SPANK plugins on AWS PCS" and "Configure SPANK plugins on AWS PCS"."""


class SlurmOnPcs:
    """Control plane, roles, login nodes, pools and partitions, made right in the stack that is ``scope``: a
    construct of its own between them would change every logical id, and so replace what is deployed.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        slurm: SlurmPcs,
        network: NetworkStack,
        storage: StorageStack,
        collection: NodeCollection,
        images: Mapping[str, str],
    ) -> None:
        self._scope = scope
        self._environment = environment
        self._slurm = slurm
        self._settings = cluster_settings(slurm, kind=slurm.kind)
        self._own_metrics = own_metrics(
            version=slurm.slurm_version, settings=self._settings, collects=collection.told is not None
        )
        program = NodeProgram(scope, "NodeProgram")
        role = NodeRole(
            scope,
            "NodeRole",
            program_bucket=program.bucket_name,
            program_key=program.key,
            result_bucket=storage.results.bucket_name,
            users_key=storage.users_key,
            container_objects=container_objects(slurm),
            collection_objects=collection.objects,
            workspace_arn=collection.workspace_arn,
        )
        self._cluster = self._control_plane(network)
        surroundings = NodeSurroundings(
            environment=environment.name,
            cluster_id=self._cluster.cluster_id,
            zone_id=environment.network.zone,
            subnet_id=network.gpu_subnet_id,
            security_group_id=network.fabric_group_id,
            instance_profile_arn=role.profile_arn,
            program=program,
            result_bucket=storage.results.bucket_name,
            mounts=storage.mounts,
            local_nvme=environment.storage.local_nvme,
            users_key=storage.users_key or "",
            gate=slurm.gate,
            slurm_version=slurm.slurm_version,
            containers=node_containers(
                slurm,
                folder=SLURM_FOLDER.format(version=slurm.slurm_version),
                plugstack=PLUGSTACK.format(version=slurm.slurm_version),
            ),
            collection=collection.told,
            serves_metrics=bool(self._own_metrics),
        )
        pools = {
            pool.name: PoolNodes(
                scope,
                f"Pool{_camel(pool.name)}",
                pool=pool,
                surroundings=surroundings,
                image_id=image_id(
                    architecture=instance_type(pool.instance_type).architecture, context=images
                ),
                tags={"bedplate:environment": environment.name, **environment.tags},
            )
            for pool in environment.pools
        }
        login = slurm.login
        login_group_id = LoginNodes(
            scope,
            "Login",
            login=login,
            # Beside the file systems: a Local Zone need not offer the login nodes' type.
            surroundings=replace(surroundings, subnet_id=network.storage_subnet_id),
            image_id=image_id(architecture=login_architecture(login.instance_type), context=images),
        ).node_group_id
        groups = {name: nodes.group.node_group_id for name, nodes in pools.items()}
        self._queues(groups)
        self.cluster = ComputeCluster(
            cluster_id=self._cluster.cluster_id,
            name=cluster_name(environment.name),
            version=slurm.slurm_version,
            group_ids=groups,
            selection_tags={name: {NODE_GROUP_TAG: group} for name, group in groups.items()},
            login_group_id=login_group_id,
            login_tags={NODE_GROUP_TAG: login_group_id},
            every_node_tag=(CLUSTER_TAG, self._cluster.cluster_id),
            pool_tags={NODE_GROUP_TAG: list(groups.values())},
            reservation_ids={name: nodes.reservation_id for name, nodes in pools.items()},
            node_role_name=role.role_name,
            block_scaler_name=self._scaler(pools, role),
        )
        """What the other stacks need of it."""

    def _control_plane(self, network: NetworkStack) -> PcsCluster:
        environment, slurm = self._environment, self._slurm
        cluster = PcsCluster(
            self._scope,
            "Cluster",
            name=cluster_name(environment.name),
            subnet_id=network.control_subnet_ids[controller_index(environment)],
            security_group_id=network.fabric_group_id,
            slurm_version=slurm.slurm_version,
            most_instances=most_instances(environment),
            accounting=slurm.accounting,
            rest_api=slurm.rest_api,
            settings={**self._settings, **self._own_metrics},
            scale_down_idle_seconds=SCALE_DOWN_IDLE_SECONDS,
        )
        logs = PcsLogs(self._scope, "Logs", name=cluster_name(environment.name), cluster=cluster)
        CfnOutput(
            self._scope,
            "SlurmLogGroup",
            value=logs.log_group_name,
            description="Log group of slurmctld, slurmdbd and finished jobs",
        )
        return cluster

    def _queues(self, groups: Mapping[str, str]) -> None:
        slurm = self._slurm
        for partition in slurm.partitions:
            PcsQueue(
                self._scope,
                f"Partition{_camel(partition.name)}",
                cluster_id=self._cluster.cluster_id,
                name=partition.name,
                node_group_ids=[groups[pool] for pool in partition.pools],
                settings=queue_settings(partition, kind=slurm.kind),
            )

    def _scaler(self, pools: Mapping[str, PoolNodes], role: NodeRole) -> str | None:
        on_blocks: dict[str, PcsNodeGroup] = {
            pool.name: pools[pool.name].group
            for pool in self._environment.pools
            # A minimum of zero needs no scaling.
            if pools[pool.name].starts_at_zero and pool.min_nodes > 0
        }
        if not on_blocks:
            return None
        return BlockScaler(
            self._scope,
            "Blocks",
            cluster_id=self._cluster.cluster_id,
            groups=block_node_groups(self._environment, on_blocks),
            node_role_arn=role.role_arn,
            instance_profile_arn=role.profile_arn,
        ).function_name


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))
