"""Hold the minimum of PCS node groups on Capacity Blocks: the pool's own while a block lasts, else zero.

Runs when EC2 tells of a delivery or of the end, every few minutes, and at each deploy, when CloudFormation
has written the minimum of the template (zero) again. Whatever woke it, it asks EC2 for the block's state and
does nothing where the node group is right already; so an event that is lost, late or doubled does no harm.

Environment: ``NODE_GROUPS``, a JSON list of ``{"cluster", "group", "reservation", "minimum",
"warning_minutes"}``; ``warning_minutes`` before the block's end the minimum is lowered, so that PCS does not
launch anew what EC2 takes.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
from answer import answered, log  # type: ignore[import-not-found]  # beside this file in Lambda
from botocore.exceptions import ClientError


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Entry point: CloudFormation's request, or an event of EventBridge."""
    if "ResponseURL" in event:
        answered(event, lambda _: scale_all(), physical_id=f"bedplate-scaler-{event['RequestId']}")
        return
    log(woken_by=event.get("detail-type", "unknown"))
    scale_all()


def scale_all() -> dict[str, str]:
    """Bring every node group to its minimum; what fails is raised at the end, for the others go first."""
    ec2, pcs = boto3.client("ec2"), boto3.client("pcs")
    done, failed = {}, []
    for wanted in json.loads(os.environ["NODE_GROUPS"]):
        try:
            done[wanted["group"]] = str(scale(wanted, ec2=ec2, pcs=pcs, now=datetime.now(UTC)))
        except Exception as error:  # noqa: BLE001 - the next node group must not wait for this one
            log(group=wanted["group"], error=repr(error))
            failed.append(f"{wanted['group']}: {error}")
    if failed:
        raise RuntimeError("; ".join(failed))
    return done


def scale(wanted: dict[str, Any], *, ec2: Any, pcs: Any, now: datetime) -> int:
    """Bring one node group to its minimum, and return it."""
    minimum = minimum_of(wanted, block_of(wanted["reservation"], ec2=ec2), now=now)
    names = {"clusterIdentifier": wanted["cluster"], "computeNodeGroupIdentifier": wanted["group"]}
    group = pcs.get_compute_node_group(**names)["computeNodeGroup"]
    scaling = group["scalingConfiguration"]
    minimum = min(minimum, int(scaling["maxInstanceCount"]))
    if scaling["minInstanceCount"] == minimum:
        return minimum
    pcs.update_compute_node_group(
        **names,
        scalingConfiguration={
            "minInstanceCount": minimum,
            "maxInstanceCount": scaling["maxInstanceCount"],
        },
    )
    log(group=wanted["group"], before=scaling["minInstanceCount"], after=minimum)
    return minimum


def minimum_of(wanted: dict[str, Any], block: dict[str, Any] | None, *, now: datetime) -> int:
    """The pool's minimum while the block is active and not about to end, as far as the block reaches."""
    if block is None or block.get("State") != "active":
        return 0
    end: datetime | None = block.get("EndDate")
    if end is None or end - timedelta(minutes=int(wanted["warning_minutes"])) <= now:
        return 0
    return min(int(wanted["minimum"]), int(block.get("TotalInstanceCount", 0)))


def block_of(reservation: str, *, ec2: Any) -> dict[str, Any] | None:
    """The block as EC2 describes it; None for one that it has forgotten, some time after its end."""
    try:
        found = ec2.describe_capacity_reservations(CapacityReservationIds=[reservation])
    except ClientError as error:
        if error.response["Error"]["Code"].startswith("InvalidCapacityReservationId"):
            return None
        raise
    rows: list[dict[str, Any]] = found["CapacityReservations"]
    return rows[0] if rows else None
