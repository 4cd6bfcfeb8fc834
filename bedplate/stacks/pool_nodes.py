"""From one pool of the environment file to its launch template and node group."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.capacity import LaunchPlan, launch_plan
from bedplate.capacity.launch_plan import NO_GROUP, OWN_GROUP
from bedplate.constructs.capacity_reservation import CapacityReservation
from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool
from bedplate.stacks.node_settings import pool_settings
from bedplate.stacks.node_surroundings import NodeSurroundings


class PoolNodes(Construct):
    """A pool's placement group and reservation (if its launch plan wants them), template and node group.

    ``tags`` go onto a reservation that is made, which CloudFormation does not tag by itself.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        pool: Pool,
        surroundings: NodeSurroundings,
        image_id: str,
        tags: Mapping[str, str],
    ) -> None:
        super().__init__(scope, id)
        hardware = pool_hardware(pool)
        plan = launch_plan(pool=pool, instance_type=hardware, zone_id=surroundings.zone_id)
        if len(plan.instance_types) > 1:
            raise ValueError(f"pool {pool.name}: a PCS node group is launched from the template of one type")
        group = ClusterPlacementGroup(self, "Placement") if plan.placement_group == OWN_GROUP else None
        self.reservation_id: str | None = plan.reservation_id
        """The reservation that the nodes come from; None where there is none, or a group of them."""
        if plan.create_reservation:
            self.reservation_id = CapacityReservation(
                self,
                "Reservation",
                instance_type=hardware.name,
                zone_id=plan.zone_id,
                instances=plan.max_nodes,
                placement_group_arn=group.group_arn if group else None,
                tags={**tags, "Name": f"bedplate-{pool.name}", "bedplate:pool": pool.name},
            ).reservation_id
        template = NodeLaunchTemplate(
            self,
            "Launch",
            security_group_ids=[surroundings.security_group_id],
            user_data=surroundings.user_data(
                pool_settings(pool, hardware=hardware, around=surroundings, prolog_is_ours=True)
            ),
            interfaces=plan.interfaces,
            instance_type=hardware.name,
            market_type=plan.market_type,
            reservation_id=self.reservation_id,
            resource_group_arn=plan.resource_group_arn,
            reservation_preference=plan.reservation_preference,
            placement_group_name=group.group_name if group else _group_name(plan),
            instance_tags={"bedplate:pool": pool.name, "Name": f"bedplate-{pool.name}"},
        )
        self.group = PcsNodeGroup(
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
            min_instances=plan.first_min_nodes,
            max_instances=plan.max_nodes,
            purchase_option=plan.purchase_option,
        )
        """The node group."""
        self.starts_at_zero: bool = plan.starts_at_zero
        """Whether the group has its nodes from the delivery of its block on only."""


def _group_name(plan: LaunchPlan) -> str | None:
    return None if plan.placement_group == NO_GROUP else plan.placement_group
