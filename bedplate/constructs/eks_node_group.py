"""A group of equal nodes of an EKS cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from constructs import Construct

from bedplate.constructs.l1 import aws_eks as eks

CapacityType = Literal["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]
AmiType = Literal[
    "AL2023_x86_64_STANDARD",
    "AL2023_ARM_64_STANDARD",
    "AL2023_x86_64_NVIDIA",
    "AL2023_ARM_64_NVIDIA",
    "BOTTLEROCKET_x86_64_NVIDIA",
    "BOTTLEROCKET_ARM_64_NVIDIA",
]


@dataclass(frozen=True, kw_only=True)
class Taint:
    """What keeps pods away that do not tolerate it."""

    key: str
    value: str
    effect: Literal["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"] = "NO_SCHEDULE"


class EksNodeGroup(Construct):
    """A managed node group: instances from a numbered version of a launch template, in the given subnets.

    The template names the instance type, for it holds the interfaces of one type; EKS refuses a second word
    on it. GPU nodes have one subnet, since EFA does not leave its zone. ``most_repaired`` is how many nodes
    EKS's own repair may have in hand, and above how many unfit ones it stops; None: it repairs nothing.

    Create-only: capacity type, AMI type, subnets, role. The version of the template and of Kubernetes cannot
    change in one update, so the group names no version: it is upgraded by its own update.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_name: str,
        name: str,
        role_arn: str,
        ami_type: AmiType,
        template_id: str,
        template_version: str,
        subnet_ids: Sequence[str],
        min_nodes: int,
        max_nodes: int,
        capacity_type: CapacityType = "ON_DEMAND",
        labels: Mapping[str, str] | None = None,
        taints: Sequence[Taint] = (),
        most_repaired: int | None = None,
    ) -> None:
        super().__init__(scope, id)
        group = eks.CfnNodegroup
        repair = None
        if most_repaired is not None:
            repair = group.NodeRepairConfigProperty(
                enabled=True,
                max_parallel_nodes_repaired_count=most_repaired,
                max_unhealthy_node_threshold_count=most_repaired,
            )
        self.resource = eks.CfnNodegroup(
            self,
            "NodeGroup",
            cluster_name=cluster_name,
            nodegroup_name=name,
            node_role=role_arn,
            ami_type=ami_type,
            capacity_type=capacity_type,
            launch_template=group.LaunchTemplateSpecificationProperty(
                id=template_id, version=template_version
            ),
            subnets=list(subnet_ids),
            scaling_config=group.ScalingConfigProperty(
                min_size=min_nodes, max_size=max_nodes, desired_size=min_nodes
            ),
            # Nodes with training on them are changed one by one, whatever the size of the group.
            update_config=group.UpdateConfigProperty(max_unavailable=1),
            labels=dict(labels or {}),
            taints=[
                group.TaintProperty(key=each.key, value=each.value, effect=each.effect) for each in taints
            ],
            node_repair_config=repair,
        )
        """The node group."""
        self.name: str = name
        """Its name, by which EKS tags its instances: ``eks:nodegroup-name``."""
