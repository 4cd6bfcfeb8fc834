"""The Slurm cluster of an environment."""

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
from bedplate.slurm.pcs_cluster_shape import cluster_name, controller_index, most_instances
from bedplate.slurm.settings import SCALE_DOWN_IDLE_SECONDS, cluster_settings, queue_settings
from bedplate.spec import Environment
from bedplate.stacks.blocks import block_node_groups
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.images import image_id
from bedplate.stacks.login_nodes import LoginNodes
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.node_surroundings import NodeSurroundings
from bedplate.stacks.pool_nodes import PoolNodes
from bedplate.stacks.storage_stack import StorageStack


class OrchestrationStack(EnvironmentStack):
    """Control plane, roles, login nodes, pools and partitions."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: NetworkStack,
        storage: StorageStack,
        images: Mapping[str, str],
    ) -> None:
        super().__init__(scope, environment=environment, role="orchestration", purpose="Slurm cluster on PCS")
        self.add_stack_dependency(network)
        self.add_stack_dependency(storage)
        program = NodeProgram(self, "NodeProgram")
        self._role = NodeRole(
            self,
            "NodeRole",
            program_bucket=program.bucket_name,
            program_key=program.key,
            result_bucket=storage.results.bucket_name,
        )
        self.node_role_name: str = self._role.role_name
        """Name of the nodes' role; other stacks attach policies to it."""
        slurm = environment.orchestrator
        cluster = PcsCluster(
            self,
            "Cluster",
            name=cluster_name(environment.name),
            subnet_id=network.control_subnet_ids[controller_index(environment)],
            security_group_id=network.fabric_group_id,
            slurm_version=slurm.slurm_version,
            most_instances=most_instances(environment),
            accounting=slurm.accounting,
            rest_api=slurm.rest_api,
            settings=cluster_settings(slurm, kind=slurm.kind),
            scale_down_idle_seconds=SCALE_DOWN_IDLE_SECONDS,
        )
        self.cluster_id: str = cluster.cluster_id
        """Id of the PCS cluster."""
        logs = PcsLogs(self, "Logs", name=cluster_name(environment.name), cluster=cluster)
        CfnOutput(
            self,
            "SlurmLogGroup",
            value=logs.log_group_name,
            description="Log group of slurmctld, slurmdbd and finished jobs",
        )
        surroundings = NodeSurroundings(
            environment=environment.name,
            cluster_id=cluster.cluster_id,
            zone_id=environment.network.zone,
            subnet_id=network.gpu_subnet_id,
            security_group_id=network.fabric_group_id,
            instance_profile_arn=self._role.profile_arn,
            program=program,
            result_bucket=storage.results.bucket_name,
            mounts=storage.mounts,
            local_nvme=environment.storage.local_nvme,
        )
        self.pool_group_ids: dict[str, str] = {}
        """Pool name → node group id."""
        self.reservation_ids: dict[str, str | None] = {}
        """Pool name → the reservation that its nodes come from, given or made; None where there is none."""
        on_blocks: dict[str, PcsNodeGroup] = {}
        for pool in environment.pools:
            nodes = PoolNodes(
                self,
                f"Pool{_camel(pool.name)}",
                pool=pool,
                surroundings=surroundings,
                image_id=image_id(
                    architecture=instance_type(pool.instance_type).architecture, context=images
                ),
                tags={"bedplate:environment": environment.name, **environment.tags},
            )
            self.pool_group_ids[pool.name] = nodes.group.node_group_id
            if nodes.starts_at_zero and pool.min_nodes > 0:  # a minimum of zero needs no scaling
                on_blocks[pool.name] = nodes.group
            self.reservation_ids[pool.name] = nodes.reservation_id
        login = LoginNodes(
            self,
            "Login",
            login=slurm.login,
            # Beside the file systems: a Local Zone need not offer the login nodes' type.
            surroundings=replace(surroundings, subnet_id=network.storage_subnet_id),
            image_id=image_id(architecture=login_architecture(slurm.login.instance_type), context=images),
        )
        self.login_group_id: str = login.node_group_id
        """Node group of the login nodes."""
        self._queues(environment)
        self.block_scaler_name: str | None = None
        """Name of the function that scales node groups on Capacity Blocks; None where there is none."""
        if on_blocks:
            self.block_scaler_name = BlockScaler(
                self,
                "Blocks",
                cluster_id=cluster.cluster_id,
                groups=block_node_groups(environment, on_blocks),
                node_role_arn=self._role.role_arn,
                instance_profile_arn=self._role.profile_arn,
            ).function_name

    def _queues(self, environment: Environment) -> None:
        for partition in environment.orchestrator.partitions:
            PcsQueue(
                self,
                f"Partition{_camel(partition.name)}",
                cluster_id=self.cluster_id,
                name=partition.name,
                node_group_ids=[self.pool_group_ids[pool] for pool in partition.pools],
                settings=queue_settings(partition, kind=environment.orchestrator.kind),
            )


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))
