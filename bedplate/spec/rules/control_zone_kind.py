"""NET-008: control zones are Availability Zones, not Local Zones."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.regions import is_local_zone
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse Local Zones for the control plane."""
    for index, zone in enumerate(draft.network.control_zones if draft.network else ()):
        if is_local_zone(zone):
            yield Violation(
                path=("network", "control_zones", index),
                message=f"{zone} is a Local Zone, which the cluster's control plane cannot be in",
                allowed=f"Availability Zones, such as {zone.split('-')[0]}-az1",
                remedy="Name two Availability Zones of the Region that the Local Zone belongs to.",
            )


RULE = Rule(
    row=CheckRow(
        id="NET-008",
        title="control zones are no Local Zones",
        what=(
            "None of `network.control_zones` is a Local Zone (an id with a place in it, such as "
            "`use1-dfw2-az1`)."
        ),
        why=(
            "AWS PCS puts its endpoint into a subnet of the cluster, and refuses subnets in Local "
            "Zones, Wavelength Zones and Outposts. The head node of ParallelCluster and the database of "
            "its accounting stand in these zones too. P6e-GB200 capacity lies "
            "in a Local Zone; only the nodes go there."
        ),
        fix="Name two Availability Zones of the Region; leave the Local Zone in `network.zone`.",
        by_hand=(
            "`aws ec2 describe-availability-zones --all-availability-zones --query "
            "'AvailabilityZones[].[ZoneId,ZoneType]'` tells the kinds."
        ),
    ),
    check=check,
)
