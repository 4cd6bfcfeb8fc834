"""The part of the Resource Groups API that tells of groups of capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.reservations import resource_groups
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service


class ResourceGroupsApi:
    """Tells the groups of the option ``resource_groups``, by ARN or by name."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "resource-groups",
            {
                "GetGroupConfiguration": self._configuration,
                "ListGroupResources": self._resources,
            },
        )

    def _configuration(self, call: Call) -> Mapping[str, Any]:
        return {
            "GroupConfiguration": {
                "Configuration": list(self._group(call).get("configuration", [])),
                "Status": "UPDATE_COMPLETE",
            }
        }

    def _resources(self, call: Call) -> Mapping[str, Any]:
        return {
            "Resources": [
                {
                    "Identifier": {
                        "ResourceArn": arn,
                        "ResourceType": "AWS::EC2::CapacityReservation"
                        if ":capacity-reservation/" in arn
                        else "AWS::EC2::Instance",
                    }
                }
                for arn in self._group(call).get("resources", [])
            ]
        }

    def _group(self, call: Call) -> Mapping[str, Any]:
        wanted = str(call.need("Group"))
        for arn, group in resource_groups(self._sandbox).items():
            if wanted in (arn, arn.rsplit("/", 1)[1]):
                return group
        raise ApiError("NotFoundException", f"Cannot find group: {wanted}")
