"""From one pool of the environment file to its launch template and managed node group of EKS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constructs import Construct

from bedplate.capacity import launch_plan
from bedplate.capacity.launch_plan import NO_GROUP, OWN_GROUP, PurchaseOption
from bedplate.constructs.capacity_reservation import CapacityReservation
from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup
from bedplate.constructs.eks_node_group import AmiType, CapacityType, EksNodeGroup, Taint
from bedplate.constructs.eks_user_data import al2023_user_data, bottlerocket_user_data
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.node.kubernetes.names import EFA_LABEL, GPU_TAINT, POOL_LABEL, ROLE_LABEL
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

CAPACITY_TYPES: Mapping[PurchaseOption, CapacityType] = {
    "ONDEMAND": "ON_DEMAND",
    "SPOT": "SPOT",
    "CAPACITY_BLOCK": "CAPACITY_BLOCK",
}
"""What a launch plan says → what EKS says; a plan by an interruptible reservation has no word at EKS."""
AMI_TYPES: Mapping[tuple[str, str], AmiType] = {
    ("al2023", "x86_64"): "AL2023_x86_64_NVIDIA",
    ("al2023", "arm64"): "AL2023_ARM_64_NVIDIA",
    ("bottlerocket", "x86_64"): "BOTTLEROCKET_x86_64_NVIDIA",
    ("bottlerocket", "arm64"): "BOTTLEROCKET_ARM_64_NVIDIA",
}
_ROOT_DEVICES = {"al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
"""Bottlerocket keeps its own system on the first volume, and what it is given to store on the second."""


class KubernetesPool(Construct):
    """A pool's placement group and reservation (if its launch plan wants them), template and node group."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        pool: Pool,
        zone_id: str,
        cluster_name: str,
        role_arn: str,
        subnet_id: str,
        security_group_ids: Sequence[str],
        image: str,
        local_nvme: bool,
        most_repaired: int | None,
        tags: Mapping[str, str],
    ) -> None:
        super().__init__(scope, id)
        hardware = pool_hardware(pool)
        plan = launch_plan(pool=pool, instance_type=hardware, zone_id=zone_id)
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
        user_data = al2023_user_data if image == "al2023" else bottlerocket_user_data
        named = None if plan.placement_group == NO_GROUP else plan.placement_group
        template = NodeLaunchTemplate(
            self,
            "Launch",
            security_group_ids=security_group_ids,
            user_data=user_data(
                local_nvme=local_nvme and hardware.nvme_count > 0, efa=hardware.efa_count > 0
            ),
            interfaces=plan.interfaces,
            instance_type=hardware.name,
            market_type=plan.market_type if plan.market_type == "capacity-block" else None,
            reservation_id=self.reservation_id,
            resource_group_arn=plan.resource_group_arn,
            reservation_preference=plan.reservation_preference,
            placement_group_name=group.group_name if group else named,
            root_device=_ROOT_DEVICES[image],
            instance_tags={**tags, "bedplate:pool": pool.name, "Name": f"bedplate-{pool.name}"},
        )
        labels = {POOL_LABEL: pool.name, ROLE_LABEL: "gpu"}
        if hardware.efa_count:
            labels[EFA_LABEL] = "true"
        self.group = EksNodeGroup(
            self,
            "Nodes",
            cluster_name=cluster_name,
            name=pool.name,
            role_arn=role_arn,
            ami_type=AMI_TYPES[image, hardware.architecture],
            template_id=template.template_id,
            template_version=template.version,
            subnet_ids=[subnet_id],
            min_nodes=plan.first_min_nodes,
            max_nodes=plan.max_nodes,
            capacity_type=CAPACITY_TYPES[plan.purchase_option],
            labels=labels,
            taints=[Taint(key=GPU_TAINT, value="present")],
            most_repaired=most_repaired,
        )
        """The node group."""
