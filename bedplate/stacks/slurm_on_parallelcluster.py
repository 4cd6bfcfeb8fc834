"""From an environment to its Slurm cluster on AWS ParallelCluster."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.capacity.launch_plan import launch_plan
from bedplate.constructs.capacity_reservation import CapacityReservation
from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup
from bedplate.constructs.node_policy import NodePolicy
from bedplate.constructs.node_program import NodeProgram
from bedplate.constructs.parallel_cluster import ParallelCluster
from bedplate.constructs.parallelcluster_provider import NODE_POLICY_PATH, ParallelClusterProvider
from bedplate.constructs.parallelcluster_script_file import ParallelClusterScriptFile
from bedplate.slurm.parallelcluster.configuration import configuration, has_tree
from bedplate.slurm.parallelcluster.surroundings import (
    HEAD,
    LOGIN,
    Database,
    NodeScript,
    SharedFolder,
    Surroundings,
)
from bedplate.slurm.pcs_cluster_shape import cluster_name, controller_index
from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmParallelCluster
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.node_collection import NodeCollection
from bedplate.stacks.node_settings import pool_settings, settings_beside_pools
from bedplate.stacks.own_slurm_nodes import own_slurm_nodes
from bedplate.stacks.storage_stack import StorageStack

CLUSTER_TAG = "parallelcluster:cluster-name"
TYPE_TAG = "parallelcluster:node-type"
POOL_TAG = "parallelcluster:compute-resource-name"
"""Tags that ParallelCluster puts on its instances (aws-parallelcluster 3.16.1, ``pcluster/constants.py``)."""


class SlurmOnParallelCluster:
    """Provider, configuration, database and what the nodes are set up with, in the stack that is ``scope``.

    ``images`` maps an architecture to an AMI id that was made for ParallelCluster's version; without one
    ParallelCluster takes its own.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        slurm: SlurmParallelCluster,
        network: NetworkStack,
        storage: StorageStack,
        collection: NodeCollection,
        images: Mapping[str, str],
    ) -> None:
        self._scope, self._environment, self._slurm = scope, environment, slurm
        self._collection = collection
        name = cluster_name(environment.name)
        self._reservations: dict[str, str] = {}
        self._groups: dict[str, str] = {}
        for pool in environment.pools:
            self._capacity(pool)
        script, policy_arn, head_policy_arn = self._node_script(storage)
        cluster = ParallelCluster(
            scope,
            "Cluster",
            name=name,
            configuration=configuration(
                slurm,
                pools=environment.pools,
                around=Surroundings(
                    region=environment.region,
                    zone_id=environment.network.zone,
                    head_subnet_id=network.control_subnet_ids[controller_index(environment)],
                    gpu_subnet_id=network.gpu_subnet_id,
                    security_group_id=network.fabric_group_id,
                    policy_arns=(policy_arn,),
                    head_policy_arns=(head_policy_arn,),
                    script=script,
                    folders=shared_folders(storage),
                    database=database_of(storage),
                    images=images,
                    groups=self._groups,
                    reservations=self._reservations,
                    tags={"bedplate:environment": environment.name, **environment.tags},
                ),
            ),
            provider=ParallelClusterProvider(scope, "Provider", version=slurm.version),
        )
        CfnOutput(scope, "HeadNode", value=cluster.head_node_id, description="Instance id of the head node")
        reserved = {pool.name: self._reservation_of(pool) for pool in environment.pools}
        self.cluster = ComputeCluster(
            cluster_id=cluster.resource.ref,
            name=name,
            version=slurm.version,
            group_ids={pool.name: pool.name for pool in environment.pools},
            selection_tags={
                pool.name: {CLUSTER_TAG: name, POOL_TAG: pool.name} for pool in environment.pools
            },
            login_group_id=LOGIN,
            login_tags={CLUSTER_TAG: name, TYPE_TAG: "LoginNode"},
            every_node_tag=(CLUSTER_TAG, name),
            pool_tags={CLUSTER_TAG: [name], TYPE_TAG: ["Compute"]},
            reservation_ids=reserved,
        )
        """What the other stacks need of it."""

    def _capacity(self, pool: Pool) -> None:
        """A reservation that is to be made, and the group that it lies in; other groups are
        ParallelCluster's.
        """
        hardware = pool_hardware(pool)
        plan = launch_plan(pool=pool, instance_type=hardware, zone_id=self._environment.network.zone)
        if not plan.create_reservation:
            return
        place = Construct(self._scope, f"Pool{_camel(pool.name)}")
        group = ClusterPlacementGroup(place, "Placement")
        tags = {"bedplate:environment": self._environment.name, **self._environment.tags}
        self._groups[pool.name] = group.group_name
        self._reservations[pool.name] = CapacityReservation(
            place,
            "Reservation",
            instance_type=hardware.name,
            zone_id=plan.zone_id,
            instances=plan.max_nodes,
            placement_group_arn=group.group_arn,
            tags={**tags, "Name": f"bedplate-{pool.name}", "bedplate:pool": pool.name},
        ).reservation_id

    def _reservation_of(self, pool: Pool) -> str | None:
        plan = launch_plan(
            pool=pool, instance_type=pool_hardware(pool), zone_id=self._environment.network.zone
        )
        return self._reservations.get(pool.name) or plan.reservation_id

    def _node_script(self, storage: StorageStack) -> tuple[NodeScript, str, str]:
        """The script with what it is told, the policy that lets a node fetch and report, and the head's."""
        name = cluster_name(self._environment.name)
        program = NodeProgram(self._scope, "NodeProgram")
        file = ParallelClusterScriptFile(self._scope, "NodeScript")
        results = storage.results.bucket_name
        policies = [
            NodePolicy(
                self._scope,
                id_,
                path=NODE_POLICY_PATH,
                objects=[
                    (program.bucket_name, program.key),
                    (file.bucket_name, file.key),
                    *self._collection.objects,
                ],
                result_bucket=results,
                users_key=storage.users_key,
                asks_topology=id_ == "HeadPolicy",
                workspace_arn=self._collection.workspace_arn,
            ).policy_arn
            for id_ in ("NodePolicy", "HeadPolicy")
        ]
        around, head = own_slurm_nodes(
            environment=self._environment,
            slurm=self._slurm,
            storage=storage,
            collection=self._collection.told,
        )
        settings = {LOGIN: settings_beside_pools(LOGIN, around=around).to_json()}
        settings[HEAD] = settings_beside_pools(
            HEAD,
            around=head,
            cluster_filter=f"tag:{CLUSTER_TAG}={name}" if has_tree(self._environment.pools) else "",
            region=self._environment.region,
            keeps_gate=True,
        ).to_json()
        for pool in self._environment.pools:
            made = pool_settings(pool, hardware=pool_hardware(pool), around=around)
            settings[pool.name] = made.to_json()
        script = NodeScript(
            url=f"s3://{file.bucket_name}/{file.key}",
            arguments=(program.bucket_name, program.key, program.sha256, results),
            settings=settings,
        )
        return script, policies[0], policies[1]


def shared_folders(storage: StorageStack) -> tuple[SharedFolder, ...]:
    """What ParallelCluster is told of the file systems. The nodes' bootstrap has mounted them before
    ParallelCluster looks; it leaves what is mounted, and knows by this that ``/home`` is not its to export.
    """
    return tuple(
        SharedFolder(kind=each.kind, file_system_id=told, path=each.path)
        for each in storage.file_systems
        if (told := each.volume_id if each.kind == "openzfs" else each.file_system_id) is not None
    )


def database_of(storage: StorageStack) -> Database | None:
    """The database of slurmdbd, as the configuration names it."""
    made = storage.accounting
    return None if made is None else Database(uri=made.uri, user=made.user, secret_arn=made.secret_arn)


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))
