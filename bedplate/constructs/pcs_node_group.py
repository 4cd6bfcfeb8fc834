"""A group of equal nodes of a PCS cluster."""

from __future__ import annotations

from typing import Literal

from constructs import Construct

from bedplate.constructs.l1 import aws_pcs as pcs

PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"]


class PcsNodeGroup(Construct):
    """Instances of one type in one subnet, launched from a numbered version of a launch template.

    ``image_id`` is an AMI id or a reference that CloudFormation resolves to one. One subnet, because EFA does
    not leave its zone. One type, because the template holds the interfaces of one type.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_id: str,
        name: str,
        instance_type: str,
        image_id: str,
        instance_profile_arn: str,
        template_id: str,
        template_version: str,
        subnet_id: str,
        min_instances: int,
        max_instances: int,
        purchase_option: PurchaseOption = "ONDEMAND",
    ) -> None:
        super().__init__(scope, id)
        group = pcs.CfnComputeNodeGroup
        self.resource = pcs.CfnComputeNodeGroup(
            self,
            "NodeGroup",
            cluster_id=cluster_id,
            name=name,
            ami_id=image_id,
            iam_instance_profile_arn=instance_profile_arn,
            instance_configs=[group.InstanceConfigProperty(instance_type=instance_type)],
            custom_launch_template=group.CustomLaunchTemplateProperty(
                template_id=template_id, version=template_version
            ),
            subnet_ids=[subnet_id],
            purchase_option=purchase_option,
            scaling_configuration=group.ScalingConfigurationProperty(
                min_instance_count=min_instances, max_instance_count=max_instances
            ),
        )
        """The node group."""
        self.settings: tuple[str, ...] = (
            image_id,
            instance_profile_arn,
            template_id,
            template_version,
            subnet_id,
            purchase_option,
            str(min_instances),
            str(max_instances),
        )
        """What of the group may change while it stays the same group."""
        self.node_group_arn: str = self.resource.attr_arn
        """ARN."""
        self.node_group_id: str = self.resource.attr_id
        """Id, ``pcs_…``; PCS tags instances with it as ``aws:pcs:compute-node-group-id``."""
