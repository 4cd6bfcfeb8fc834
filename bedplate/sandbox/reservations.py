"""Capacity that is reserved in the sandbox: what stacks made, and what its options say was there before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.sandbox import Sandbox


def known_reservations(sandbox: Sandbox) -> dict[str, Mapping[str, Any]]:
    """Reservation id → its members as EC2 names them.

    The option ``capacity_reservations`` has those that no stack made.
    """
    return {**sandbox.options.section("capacity_reservations", {}), **sandbox.capacity_reservations}


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
