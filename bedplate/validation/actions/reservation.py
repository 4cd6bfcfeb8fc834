"""Whether a place can be filled again: ending an instance whose place then stays empty helps nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bedplate.manifest import PoolManifest
from bedplate.validation.aws import AwsClients, aws_errors

LAUNCH_MARGIN = timedelta(hours=1)
"""A new instance needs minutes of cleaning, launch and bootstrap; with less left it would be taken again."""


def why_not_replace(*, clients: AwsClients, pool: PoolManifest, now: datetime | None = None) -> str:
    """Why an instance of the pool is not to be ended for another; empty where it may be."""
    moment = now or datetime.now(UTC)
    if pool.node_count_min < 1:
        return "the pool keeps no instance running, so that none would come in its place; end it by hand"
    if pool.capacity_taken_time:
        left = datetime.fromisoformat(pool.capacity_taken_time) - moment
        if left < LAUNCH_MARGIN:
            return f"EC2 takes the nodes of {pool.reservation_id} from {pool.capacity_taken_time} on"
    if not pool.reservation_id:
        return ""
    with aws_errors(f"asking for reservation {pool.reservation_id}"):
        rows = clients.ec2.describe_capacity_reservations(CapacityReservationIds=[pool.reservation_id])
    states = [str(row.get("State")) for row in rows.get("CapacityReservations", [])]
    if states != ["active"]:
        return f"reservation {pool.reservation_id} is {states[0] if states else 'not there'}, not active"
    return ""
