"""Capacity that is reserved in the sandbox: what stacks made, and what its options say was there before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.sandbox import Sandbox


def known_reservations(sandbox: Sandbox) -> dict[str, Mapping[str, Any]]:
    """Reservation id → its members as EC2 names them, with what is left of it now.

    The option ``capacity_reservations`` has those that no stack made.
    """
    rows: dict[str, Mapping[str, Any]] = {
        **sandbox.options.section("capacity_reservations", {}),
        **sandbox.capacity_reservations,
    }
    used = Counter(sandbox.launched_into.values())
    return {
        reservation: {**row, "AvailableInstanceCount": max(0, _unused_by_others(row) - used[reservation])}
        for reservation, row in rows.items()
    }


def _unused_by_others(row: Mapping[str, Any]) -> int:
    return int(row.get("AvailableInstanceCount", row.get("TotalInstanceCount", 0)))


def size_of(row: Mapping[str, Any]) -> int:
    """How many instances a reservation is for; a block that has not begun tells it by a tag only."""
    tags = {tag.get("Key"): tag.get("Value", "") for tag in row.get("Tags", [])}
    requested = str(tags.get("aws:ec2capacityreservation:incrementalRequestedQuantity", ""))
    return max(int(row.get("TotalInstanceCount", 0)), int(requested) if requested.isdecimal() else 0)


def resource_groups(sandbox: Sandbox) -> Mapping[str, Mapping[str, Any]]:
    """Group ARN → ``{"configuration": [{"Type": …, "Parameters": […]}], "resources": [ARN, …]}``.

    They come from the option ``resource_groups``: nothing that Bedplate deploys makes one.
    """
    found: Mapping[str, Mapping[str, Any]] = sandbox.options.section("resource_groups", {})
    return found


def reservations_of_group(sandbox: Sandbox, arn: str) -> list[str]:
    """Ids of the capacity reservations in a group."""
    members = resource_groups(sandbox)[arn].get("resources", [])
    return [str(each).rsplit("/", 1)[1] for each in members if ":capacity-reservation/" in str(each)]
