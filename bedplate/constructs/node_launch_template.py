"""A launch template with the whole interface layout of its instance type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import CfnTag, Fn
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.hardware import INSTANCE_TYPES, INTERFACE, Interface, layout_problems

PLAIN_INTERFACE = (Interface(card=0, device=0, kind=INTERFACE),)
"""The layout of an instance without EFA."""
ROOT_DEVICE = "/dev/sda1"
"""The root device of the PCS images on Ubuntu."""
ROOT_VOLUME_GIB = 300
"""Room for container images; the image's own 75 GiB is too little for one framework container."""
METADATA_HOP_LIMIT = 2
"""One hop for the node, one for a container on it."""


class NodeLaunchTemplate(Construct):
    """How nodes of one kind are launched.

    ``interfaces`` is a layout of the hardware table or a list of one's own: every entry becomes a network
    interface with its card, device and kind, and the security groups sit in each of them, since EC2 refuses
    groups beside a list of interfaces. The list is held against the rules of EC2 and, where the hardware
    table has ``instance_type``, against its cards: ``ValueError`` says what does not fit. No interface asks
    for a public address. ``market_type`` and the reservation come from a launch plan; a ``capacity-block``
    needs ``instance_type`` in the template too. A reservation is given by its id or by the ARN of a resource
    group of reservations, not by both.

    The instance metadata service answers version 2 only. The root volume is gp3 and encrypted.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        security_group_ids: Sequence[str],
        user_data: str,
        interfaces: Sequence[Interface] = PLAIN_INTERFACE,
        instance_type: str | None = None,
        market_type: str | None = None,
        reservation_id: str | None = None,
        resource_group_arn: str | None = None,
        reservation_preference: str | None = None,
        placement_group_name: str | None = None,
        root_volume_gib: int = ROOT_VOLUME_GIB,
        root_device: str = ROOT_DEVICE,
        instance_tags: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, id)
        _hold(interfaces, instance_type)
        template = ec2.CfnLaunchTemplate
        self.resource = ec2.CfnLaunchTemplate(
            self,
            "Template",
            launch_template_data=template.LaunchTemplateDataProperty(
                instance_type=instance_type,
                user_data=Fn.base64(user_data) if user_data else None,
                network_interfaces=[
                    template.NetworkInterfaceProperty(
                        network_card_index=each.card,
                        device_index=each.device,
                        interface_type=each.kind,
                        groups=list(security_group_ids),
                        delete_on_termination=True,
                    )
                    for each in interfaces
                ],
                block_device_mappings=[_root_volume(root_volume_gib, root_device)],
                metadata_options=template.MetadataOptionsProperty(
                    http_tokens="required",
                    http_endpoint="enabled",
                    http_put_response_hop_limit=METADATA_HOP_LIMIT,
                ),
                monitoring=template.MonitoringProperty(enabled=True),
                instance_market_options=template.InstanceMarketOptionsProperty(market_type=market_type)
                if market_type
                else None,
                capacity_reservation_specification=_reservation(
                    reservation_id, resource_group_arn, reservation_preference
                ),
                placement=template.PlacementProperty(group_name=placement_group_name)
                if placement_group_name
                else None,
                tag_specifications=_tag_specifications(instance_tags or {}),
            ),
        )
        """The template."""
        self.template_id: str = self.resource.attr_launch_template_id
        """Id, ``lt-…``."""
        self.version: str = self.resource.attr_latest_version_number
        """The newest version as a number: who was given ``$Latest`` never sees that one was added."""


def _root_volume(size_gib: int, device: str) -> ec2.CfnLaunchTemplate.BlockDeviceMappingProperty:
    return ec2.CfnLaunchTemplate.BlockDeviceMappingProperty(
        device_name=device,
        ebs=ec2.CfnLaunchTemplate.EbsProperty(
            volume_size=size_gib, volume_type="gp3", encrypted=True, delete_on_termination=True
        ),
    )


def _hold(interfaces: Sequence[Interface], instance_type: str | None) -> None:
    problems = layout_problems(interfaces, instance_type=INSTANCE_TYPES.get(instance_type or ""))
    if problems:
        raise ValueError(f"network interfaces of {instance_type or 'the template'}: {'; '.join(problems)}")


def _reservation(
    reservation_id: str | None, resource_group_arn: str | None, preference: str | None
) -> ec2.CfnLaunchTemplate.CapacityReservationSpecificationProperty | None:
    if reservation_id and resource_group_arn:
        raise ValueError("a launch template targets a reservation or a resource group of them, not both")
    target = None
    if reservation_id or resource_group_arn:
        target = ec2.CfnLaunchTemplate.CapacityReservationTargetProperty(
            capacity_reservation_id=reservation_id, capacity_reservation_resource_group_arn=resource_group_arn
        )
    if target is None and preference is None:
        return None
    return ec2.CfnLaunchTemplate.CapacityReservationSpecificationProperty(
        capacity_reservation_preference=preference, capacity_reservation_target=target
    )


def _tag_specifications(
    tags: Mapping[str, str],
) -> list[ec2.CfnLaunchTemplate.TagSpecificationProperty] | None:
    if not tags:
        return None
    return [
        ec2.CfnLaunchTemplate.TagSpecificationProperty(
            resource_type=kind, tags=[CfnTag(key=key, value=tags[key]) for key in sorted(tags)]
        )
        for kind in ("instance", "volume")
    ]
