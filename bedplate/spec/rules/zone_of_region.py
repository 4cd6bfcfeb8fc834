"""NET-001: zones are of the environment's Region."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path
from bedplate.spec.regions import ZONE_PREFIXES, region_of_zone
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse zones whose id belongs to another Region, or to none."""
    if draft.network is None or draft.region not in ZONE_PREFIXES:
        return
    zones: dict[Path, str] = {("network", "zone"): draft.network.zone}
    for index, zone in enumerate(draft.network.control_zones):
        zones[("network", "control_zones", index)] = zone
    prefix = ZONE_PREFIXES[draft.region]
    for path, zone in zones.items():
        if zone.split("-")[0] == prefix:
            continue
        owner = region_of_zone(zone)
        where = f"a zone of {owner}" if owner else "a zone of no Region that Bedplate knows"
        yield Violation(
            path=path,
            message=f"{zone} is {where}, and the environment's region is {draft.region}",
            allowed=f"zones of {draft.region}: {prefix}-az1, {prefix}-az2, …",
            remedy=f"Name a zone of {draft.region}" + (f", or set `region: {owner}`." if owner else "."),
        )


RULE = Rule(
    row=CheckRow(
        id="NET-001",
        title="zones are of the environment's Region",
        what=(
            "The ids in `network.zone` and `network.control_zones` begin with the prefix of the "
            "environment's Region (`usw2-` for us-west-2)."
        ),
        why=(
            "Stacks are deployed to one Region. A subnet in a zone of another cannot be made, and "
            "capacity bought there cannot be reached from here."
        ),
        fix="Name zones of the Region, or change the Region to where the capacity is.",
        by_hand=(
            "`aws ec2 describe-availability-zones --region REGION --query "
            "'AvailabilityZones[].ZoneId'` lists the ids."
        ),
    ),
    check=check,
)
