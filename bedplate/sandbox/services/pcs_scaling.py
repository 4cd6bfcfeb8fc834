"""PCS UpdateComputeNodeGroup, for the scaling alone: nothing of ours changes anything else by the API."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.resources.pcs_instances import PcsInstances, launch_template
from bedplate.sandbox.resources.pcs_reservation import check_purchase
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import upper_camel
from bedplate.sandbox.services.service import ApiError, Call

_PLAYED = frozenset(
    {"clusterIdentifier", "computeNodeGroupIdentifier", "scalingConfiguration", "clientToken"}
)


def update_scaling(sandbox: Sandbox, call: Call, group: dict[str, Any]) -> Mapping[str, Any]:
    """Set minimum and maximum of a node group's record, and launch or end instances to match."""
    others = sorted(set(call.parameters) - _PLAYED)
    if others:
        raise ApiError("ValidationException", f"SBX-018: the sandbox updates scaling alone, not {others[0]}")
    scaling = call.need("scalingConfiguration")
    smallest, largest = int(scaling["minInstanceCount"]), int(scaling["maxInstanceCount"])
    if not 0 <= smallest <= largest:
        raise ApiError("ValidationException", f"minInstanceCount {smallest} is not within 0 and {largest}")
    before = group["scalingConfiguration"]
    group["scalingConfiguration"] = {"minInstanceCount": smallest, "maxInstanceCount": largest}
    request = ResourceRequest(
        account=call.account,
        region=call.region,
        stack_id="",
        stack_name="",
        logical_id=group["name"],
        type_name="AWS::PCS::ComputeNodeGroup",
        properties={},
    )
    try:
        wanted = upper_camel(group)
        check_purchase(sandbox, wanted, launch_template(request, wanted))
        PcsInstances(sandbox).scale(request, wanted)
    except ResourceError as error:
        group["scalingConfiguration"] = before
        raise ApiError("ValidationException", str(error)) from error
    group["modifiedAt"] = datetime.now(UTC)
    return {"computeNodeGroup": group}
