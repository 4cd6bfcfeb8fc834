"""From one pool of the environment file to its launch template and node group."""

from __future__ import annotations

from dataclasses import dataclass

from constructs import Construct

from bedplate.capacity import launch_plan
from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup
from bedplate.constructs.node_bootstrap import LustreMount, NodeBootstrap
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.constructs.node_program import NodeProgram
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.hardware import InstanceType, instance_type
from bedplate.spec.pools import Pool


@dataclass(frozen=True, kw_only=True)
class NodeSurroundings:
    """What all nodes of a cluster have in common; strings may be CDK tokens."""

    cluster_id: str
    subnet_id: str
    security_group_id: str
    instance_profile_arn: str
    program: NodeProgram
    lustre: LustreMount | None
    stripe_nvme: bool


class PoolNodes(Construct):
    """A pool's placement group (if its launch plan wants one), launch template and node group."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        pool: Pool,
        surroundings: NodeSurroundings,
        image_id: str,
    ) -> None:
        super().__init__(scope, id)
        hardware = instance_type(pool.instance_type)
        plan = launch_plan(pool=pool, instance_type=hardware)
        group_name = ClusterPlacementGroup(self, "Placement").group_name if plan.placement_group else None
        template = NodeLaunchTemplate(
            self,
            "Launch",
            security_group_ids=[surroundings.security_group_id],
            user_data=_bootstrap(hardware, surroundings).user_data(),
            interfaces=hardware.interfaces,
            instance_type=hardware.name,
            market_type=plan.market_type,
            reservation_id=plan.reservation_id,
            reservation_preference=plan.reservation_preference,
            placement_group_name=group_name,
            instance_tags={"bedplate:pool": pool.name, "Name": f"bedplate-{pool.name}"},
        )
        self.node_group_id: str = PcsNodeGroup(
            self,
            "Nodes",
            cluster_id=surroundings.cluster_id,
            name=pool.name,
            instance_type=hardware.name,
            image_id=image_id,
            instance_profile_arn=surroundings.instance_profile_arn,
            template_id=template.template_id,
            template_version=template.version,
            subnet_id=surroundings.subnet_id,
            min_instances=plan.min_nodes,
            max_instances=plan.max_nodes,
            purchase_option=plan.purchase_option,
        ).node_group_id
        """The node group's id."""


def _bootstrap(hardware: InstanceType, surroundings: NodeSurroundings) -> NodeBootstrap:
    lustre = surroundings.lustre
    return NodeBootstrap(
        role="compute",
        program_bucket=surroundings.program.bucket_name,
        program_key=surroundings.program.key,
        program_sha256=surroundings.program.sha256,
        gpus=hardware.gpus > 0,
        nvme_count=hardware.nvme_count if surroundings.stripe_nvme else 0,
        lustre=lustre and _with_efas(lustre, hardware.lnet_efa_count),
    )


def _with_efas(lustre: LustreMount, efas: int) -> LustreMount:
    return LustreMount(
        dns_name=lustre.dns_name,
        mount_name=lustre.mount_name,
        mount_point=lustre.mount_point,
        lnet_efa_count=min(lustre.lnet_efa_count, efas),
    )
