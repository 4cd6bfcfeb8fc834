"""NET-009: UltraServers lie in a zone that they are sold in."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import ultraservers_of
from bedplate.hardware.local_zones import LOCAL_ZONES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a zone that AWS sells none of the pool's UltraServers in; once, at the first such pool."""
    if draft.network is None:
        return
    for index, pool in draft.pools.items():
        zones = sorted(
            {LOCAL_ZONES[name].zone_id for each in ultraservers_of(pool.instance_type) for name in each.zones}
        )
        if zones and draft.network.zone not in zones:
            yield Violation(
                path=("network", "zone"),
                message=f"{pool.instance_type} of pools[{index}] is not sold in {draft.network.zone}",
                allowed=", ".join(zones),
                remedy=f"Set `zone: {zones[0]}` (a Local Zone of us-east-1), or use another instance type.",
            )
            return


RULE = Rule(
    row=CheckRow(
        id="NET-009",
        title="UltraServers are in a zone that they are sold in",
        what=(
            "Where a pool is of an UltraServer type (p6e-gb200), `network.zone` is the zone id of the "
            "Dallas Local Zone (us-east-1-dfw-2a), the only one that AWS sells them in."
        ),
        why=(
            "An UltraServer is one rack in one zone. In any other zone no block of it can be bought, and "
            "the launch fails with InsufficientInstanceCapacity or Unsupported."
        ),
        fix="Set `region: us-east-1` and `zone: use1-dfw2-az1`; name Availability Zones in `control_zones`.",
        by_hand=(
            "`aws ec2 describe-instance-type-offerings --location-type availability-zone-id --filters "
            "Name=instance-type,Values=p6e-gb200.36xlarge`"
        ),
    ),
    check=check,
)
