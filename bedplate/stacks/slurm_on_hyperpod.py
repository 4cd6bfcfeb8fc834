"""From an environment to its Slurm cluster on SageMaker HyperPod."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aws_cdk import CfnOutput, Fn, Stack
from constructs import Construct

from bedplate.constructs.hyperpod_cluster import HyperPodCluster
from bedplate.constructs.hyperpod_role import HyperPodRole
from bedplate.constructs.hyperpod_scripts import HyperPodScripts, SlurmNodeType
from bedplate.constructs.node_program import NodeProgram
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.desk.keys import PREFIX as DESKS
from bedplate.slurm.hyperpod.cluster import cluster, partitions_file, settings_file
from bedplate.slurm.hyperpod.instance_groups import CONTROLLER, LOGIN
from bedplate.slurm.hyperpod.surroundings import Accounting, Folder, Surroundings
from bedplate.slurm.pcs_cluster_shape import cluster_name, controller_index
from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmHyperPod
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.node_collection import NodeCollection
from bedplate.stacks.node_containers import container_objects
from bedplate.stacks.node_settings import pool_settings, settings_beside_pools
from bedplate.stacks.own_slurm_nodes import own_slurm_nodes
from bedplate.stacks.storage_stack import StorageStack

LIST_MINUTES = 10
"""How often nodes look at the lists of users and teams: Systems Manager cannot have them do so."""


class SlurmOnHyperPod:
    """Cluster, roles and life-cycle scripts, in the stack that is ``scope``.

    The controller has a role of its own, and it alone a desk: it is the node that validation is asked through
    (docs/hyperpod.md). HyperPod takes images of its own, and makes capacity of none of EC2's.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        slurm: SlurmHyperPod,
        network: NetworkStack,
        storage: StorageStack,
        collection: NodeCollection,
    ) -> None:
        self._scope, self._environment, self._slurm = scope, environment, slurm
        self._network, self._storage, self._collection = network, storage, collection
        self._name = cluster_name(environment.name)
        scripts = self._scripts()
        made = HyperPodCluster(
            scope,
            "Cluster",
            cluster=cluster(
                slurm,
                pools=environment.pools,
                around=Surroundings(
                    cluster_name=self._name,
                    head_subnet_id=network.control_subnet_ids[controller_index(environment)],
                    gpu_subnet_id=network.gpu_subnet_id,
                    security_group_id=network.fabric_group_id,
                    role_arn=self._role("NodeRole", scripts).role_arn,
                    head_role_arn=self._role("ControllerRole", scripts, controller=True).role_arn,
                    scripts_uri=scripts.uri,
                    on_create=scripts.on_create,
                    folders=folders_of(storage),
                    accounting=accounting_of(storage),
                    tags={"bedplate:environment": environment.name, **environment.tags},
                ),
            ),
        )
        told = CfnOutput(
            scope, "ClusterId", value=made.cluster_id, description="Id that SSM's targets are named by"
        )
        stack = Stack.of(scope)
        self.cluster = ComputeCluster(
            # Cut out of the ARN here: by cfn-lint, Fn::Split takes no output of another stack.
            cluster_id=Fn.get_stack_output(
                stack.stack_name, stack.get_logical_id(told), region=environment.region
            ),
            name=self._name,
            # The service's own, which its images bring.
            version="",
            group_ids={pool.name: pool.name for pool in environment.pools},
            selection_tags={pool.name: {} for pool in environment.pools},
            login_group_id=CONTROLLER,
            login_tags={},
            every_node_tag=None,
            pool_tags={},
            reservation_ids={pool.name: None for pool in environment.pools},
            hyperpod=made,
        )
        """What the other stacks need of it."""

    def _scripts(self) -> HyperPodScripts:
        program = NodeProgram(self._scope, "NodeProgram")
        settings = self._settings()
        types: Mapping[str, SlurmNodeType] = {CONTROLLER: "Controller", LOGIN: "Login"}
        return HyperPodScripts(
            self._scope,
            "Scripts",
            name=self._name,
            groups={name: types.get(name, "Compute") for name in settings},
            settings=settings,
            slurm_settings=settings_file(self._slurm),
            partitions=partitions_file(self._slurm),
            program_bucket=program.bucket_name,
            program_key=program.key,
            program_sha256=program.sha256,
        )

    def _settings(self) -> dict[str, NodeSettings]:
        storage = self._storage
        around, head = own_slurm_nodes(
            environment=self._environment,
            slurm=self._slurm,
            storage=storage,
            collection=self._collection.told,
        )
        made = {
            CONTROLLER: replace(
                settings_beside_pools(CONTROLLER, around=head, keeps_gate=True),
                accounts_key=storage.accounts_key or "",
                region=self._environment.region,
                desk=True,
            ),
            LOGIN: settings_beside_pools(LOGIN, around=around),
        }
        for pool in self._environment.pools:
            made[pool.name] = pool_settings(pool, hardware=pool_hardware(pool), around=around)
        return {name: replace(each, list_minutes=LIST_MINUTES) for name, each in made.items()}

    def _role(self, id_: str, scripts: HyperPodScripts, *, controller: bool = False) -> HyperPodRole:
        storage, network = self._storage, self._network
        head_subnet = network.control_subnet_ids[controller_index(self._environment)]
        keys = [storage.users_key, storage.accounts_key if controller else None]
        return HyperPodRole(
            self._scope,
            id_,
            cluster_name=self._name,
            subnet_ids=list(dict.fromkeys([network.gpu_subnet_id, head_subnet])),
            security_group_ids=[network.fabric_group_id],
            scripts_bucket=scripts.bucket_name,
            scripts_prefix=self._name,  # a node that starts during an update is told of the folder before
            result_bucket=storage.results.bucket_name,
            accounting_secret_arn=storage.accounting.secret_arn
            if controller and storage.accounting
            else None,
            list_keys=[key for key in keys if key is not None],
            container_objects=container_objects(self._slurm),
            desk_prefix=f"{DESKS}/" if controller else None,
            collection_objects=self._collection.objects,
            workspace_arn=self._collection.workspace_arn,
        )


def folders_of(storage: StorageStack) -> tuple[Folder, ...]:
    """What HyperPod can be told of: a file system as a whole, by its DNS name and without options."""
    return tuple(
        Folder(
            kind=each.kind,
            dns_name=each.dns_name,
            mount_name=each.mount_name or "",
            path=each.path,
            efa=each.efa,
        )
        for each in storage.file_systems
        if each.kind != "efs" and each.dns_name is not None and not each.options
    )


def accounting_of(storage: StorageStack) -> Accounting | None:
    """The database of slurmdbd, as HyperPod is told of it."""
    made = storage.accounting
    return (
        None if made is None else Accounting(endpoint=made.host, secret_arn=made.secret_arn, port=made.port)
    )
