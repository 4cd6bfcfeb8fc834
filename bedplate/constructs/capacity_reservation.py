"""An On-Demand Capacity Reservation of the stack's own."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnTag
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2

MOST_INSTANCES = 1000
"""EC2 API, CreateCapacityReservation: InstanceCount is 1 to 1000."""


class CapacityReservation(Construct):
    """Instances that are kept, and paid for, whether they run or not, from the deploy until it is deleted.

    Only launches that name it get them (``targeted``), and it has no end. ``placement_group_arn`` is the
    cluster placement group that it lies in: launches into it must name that very group. EC2 cannot change
    type, zone or group later; CloudFormation then makes a second reservation before it cancels the first.
    The type takes no plain tags, so those of the stack do not reach it: give them by ``tags``.

    The platform is Linux/UNIX, which is that of Ubuntu and Amazon Linux images. Raises ``ValueError`` for a
    number of instances that EC2 does not take.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        instance_type: str,
        zone_id: str,
        instances: int,
        placement_group_arn: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, id)
        if not 1 <= instances <= MOST_INSTANCES:
            raise ValueError(f"a reservation holds 1 to {MOST_INSTANCES} instances, not {instances}")
        reservation = ec2.CfnCapacityReservation(
            self,
            "Reservation",
            instance_type=instance_type,
            instance_platform="Linux/UNIX",
            instance_count=instances,
            availability_zone_id=zone_id,
            instance_match_criteria="targeted",
            end_date_type="unlimited",
            placement_group_arn=placement_group_arn,
            tag_specifications=_tag_specifications(tags or {}),
        )
        self.reservation_id: str = reservation.attr_id
        """Id, ``cr-…``, for launch templates."""


def _tag_specifications(
    tags: Mapping[str, str],
) -> list[ec2.CfnCapacityReservation.TagSpecificationProperty] | None:
    if not tags:
        return None
    return [
        ec2.CfnCapacityReservation.TagSpecificationProperty(
            resource_type="capacity-reservation",
            tags=[CfnTag(key=key, value=tags[key]) for key in sorted(tags)],
        )
    ]
