"""What the AMP API tells beyond moto: a workspace's configuration and its alert manager."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.amp.models import amp_backends

from bedplate.sandbox.services.service import ApiError, Call, Service

_ACTIVE = {"statusCode": "ACTIVE"}


def amp_service() -> Service:
    """The table of operations; all others are moto's."""
    return Service(
        "amp",
        {
            "DescribeWorkspaceConfiguration": _configuration,
            "DescribeAlertManagerDefinition": _alert_manager,
        },
        exclusive=False,
        signing_name="aps",
    )


def _configuration(call: Call) -> Mapping[str, Any]:
    kept = _workspace(call).configuration
    limits = [
        {
            "labelSet": {label["Name"]: label["Value"] for label in each["LabelSet"]},
            "limits": {"maxSeries": int(each["Limits"].get("MaxSeries", 0))},
        }
        for each in kept["LimitsPerLabelSets"]
    ]
    told = {
        "status": _ACTIVE,
        "retentionPeriodInDays": kept["RetentionPeriodInDays"],
        "outOfOrderTimeWindowInSeconds": kept["OutOfOrderTimeWindowInSeconds"],
        "ruleQueryOffsetInSeconds": kept["RuleQueryOffsetInSeconds"],
        "limitsPerLabelSet": limits,
    }
    return {"workspaceConfiguration": told}


def _alert_manager(call: Call) -> Mapping[str, Any]:
    workspace = _workspace(call)
    text = workspace.alert_manager_definition
    if text is None:
        raise ApiError("ResourceNotFoundException", "the workspace has no alert manager definition")
    at = datetime.now(UTC)
    told = {"status": _ACTIVE, "data": text.encode(), "createdAt": at, "modifiedAt": at}
    return {"alertManagerDefinition": told}


def _workspace(call: Call) -> Any:
    workspace = amp_backends[call.account][call.region].workspaces.get(call.need("workspaceId"))
    if workspace is None or not hasattr(workspace, "configuration"):
        raise ApiError("ResourceNotFoundException", f"workspace {call.need('workspaceId')} does not exist")
    return workspace
