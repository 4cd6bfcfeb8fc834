"""From an environment to its Kubernetes cluster on Amazon EKS."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.constructs.eks_cluster import EksCluster
from bedplate.constructs.eks_node_group import EksNodeGroup
from bedplate.constructs.eks_node_role import EksNodeRole
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.kubernetes.teams import group_of
from bedplate.node.kubernetes.names import ROLE_LABEL
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.orchestrator import Eks
from bedplate.spec.rules.one_architecture import architecture_of
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.kubernetes_pool import KubernetesPool
from bedplate.stacks.kubernetes_software import KubernetesSoftware
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.storage_stack import StorageStack

CLUSTER_TAG = "eks:cluster-name"
NODE_GROUP_TAG = "eks:nodegroup-name"
"""Tags that EKS puts on the instances of a managed node group (EKS User Guide, "Tag your resources")."""
SYSTEM_GROUP = "system"


class KubernetesOnEks:
    """Control plane, system nodes and pools, made right in the stack that is ``scope``."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        eks: Eks,
        network: NetworkStack,
        storage: StorageStack,
    ) -> None:
        self._scope, self._environment, self._eks, self._network = scope, environment, eks, network
        self._control = EksCluster(
            scope,
            "Cluster",
            name=cluster_name(environment.name),
            version=eks.kubernetes_version,
            vpc_id=network.vpc_id,
            subnet_ids=network.control_subnet_ids,
            zone_names=environment.network.control_zones,
            security_group_id=network.fabric_group_id,
            tier=eks.control_plane_tier,
            public_from=eks.public_endpoint_from,
            administrators=eks.administrators,
            groups={group_of(team.name): team.roles for team in eks.teams},
        )
        self._role = EksNodeRole(scope, "NodeRole")
        self._groups = [network.fabric_group_id, self._control.cluster_group_id]
        software = KubernetesSoftware(
            scope,
            environment=environment,
            eks=eks,
            control=self._control,
            file_systems=storage.file_systems,
        )
        system = self._system_nodes()
        pools = {pool.name: self._pool(number) for number, pool in enumerate(environment.pools)}
        for group in (system, *(pool.group for pool in pools.values())):
            group.node.add_dependency(*software.before_nodes)
        # Charts come when there are system nodes: GPU nodes may be waited for until a block begins.
        software.after_nodes([system])
        CfnOutput(
            scope,
            "KubeconfigCommand",
            value=f"aws eks update-kubeconfig --region {environment.region} --name {self._control.name}",
            description="Lets kubectl speak to the cluster, from inside the VPC",
        )
        self.cluster = ComputeCluster(
            cluster_id=self._control.name,
            name=cluster_name(environment.name),
            version=eks.kubernetes_version,
            group_ids={name: pool.group.name for name, pool in pools.items()},
            selection_tags={
                name: {CLUSTER_TAG: cluster_name(environment.name), NODE_GROUP_TAG: pool.group.name}
                for name, pool in pools.items()
            },
            login_group_id="",
            login_tags={},
            every_node_tag=None,
            # Both: node groups of other clusters may have the same names.
            pool_tags={
                CLUSTER_TAG: [cluster_name(environment.name)],
                NODE_GROUP_TAG: [pool.group.name for pool in pools.values()],
            },
            reservation_ids={name: pool.reservation_id for name, pool in pools.items()},
        )
        """What the other stacks need of it."""

    def _system_nodes(self) -> EksNodeGroup:
        system, tags = self._eks.system_nodes, self._tags()
        template = NodeLaunchTemplate(
            self._scope,
            "SystemLaunch",
            security_group_ids=self._groups,
            user_data="",
            instance_type=system.instance_type,
            root_volume_gib=100,
            root_device="/dev/xvda",
            instance_tags={**tags, "Name": "bedplate-system"},
        )
        arm = architecture_of(system.instance_type) == "arm64"
        return EksNodeGroup(
            self._scope,
            "System",
            cluster_name=self._control.name,
            name=SYSTEM_GROUP,
            role_arn=self._role.role_arn,
            ami_type="AL2023_ARM_64_STANDARD" if arm else "AL2023_x86_64_STANDARD",
            template_id=template.template_id,
            template_version=template.version,
            subnet_ids=self._network.control_subnet_ids,
            min_nodes=system.nodes,
            max_nodes=system.nodes,
            labels={ROLE_LABEL: "system"},
        )

    def _pool(self, number: int) -> KubernetesPool:
        environment, pool = self._environment, self._environment.pools[number]
        return KubernetesPool(
            self._scope,
            f"Pool{_camel(pool.name)}",
            pool=pool,
            zone_id=environment.network.zone,
            cluster_name=self._control.name,
            role_arn=self._role.role_arn,
            subnet_id=self._network.gpu_subnet_id,
            security_group_ids=self._groups,
            image=self._eks.image,
            local_nvme=environment.storage.local_nvme == "raid0",
            most_repaired=self._most_repaired(pool.max_nodes),
            tags=self._tags(),
        )

    def _most_repaired(self, nodes: int) -> int | None:
        """One at least, for a cap of none would be no repair; None where nothing repairs."""
        if self._eks.node_repair == "none":
            return None
        return max(1, nodes * self._environment.validation.act_on_at_most_percent // 100)

    def _tags(self) -> dict[str, str]:
        return {"bedplate:environment": self._environment.name, **self._environment.tags}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))
