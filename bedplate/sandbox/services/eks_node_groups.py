"""EKS UpdateNodegroupConfig: size, labels, taints, and how the group is updated and repaired."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.resources.eks_instances import EksInstances
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call

_PLAYED = frozenset(
    {
        "clusterName",
        "nodegroupName",
        "labels",
        "taints",
        "scalingConfig",
        "updateConfig",
        "nodeRepairConfig",
        "clientRequestToken",
    }
)
_OVERRIDE = {"nodeMonitoringCondition", "nodeUnhealthyReason", "minRepairWaitTimeMins", "repairAction"}


def update_config(
    sandbox: Sandbox, cluster: PlayedEksCluster, group: dict[str, Any], call: Call
) -> Mapping[str, Any]:
    """Change the record, and launch or end instances to match; all or nothing."""
    others = sorted(set(call.parameters) - _PLAYED)
    if others:
        raise ApiError("InvalidParameterException", f"SBX-018: the sandbox does not update {others[0]}")
    changed = {**group, **_changes(group, call)}
    before = dict(group)
    group.update(changed)
    instances = EksInstances(sandbox, cluster)
    try:
        instances.scale(group)
    except ResourceError as error:
        group.update(before)
        raise ApiError("InvalidRequestException", str(error)) from error
    instances.relabel(group)
    group["modifiedAt"] = datetime.now(UTC)
    return {
        "update": {
            "id": str(uuid.uuid4()),
            "status": "Successful",
            "type": "ConfigUpdate",
            "params": [],
            "createdAt": group["modifiedAt"],
            "errors": [],
        }
    }


def _changes(group: Mapping[str, Any], call: Call) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    scaling = {**group["scalingConfig"], **(call.get("scalingConfig") or {})}
    if not 0 <= scaling["minSize"] <= scaling["desiredSize"] <= scaling["maxSize"] or scaling["maxSize"] < 1:
        raise ApiError(
            "InvalidParameterException",
            f"minSize {scaling['minSize']}, desiredSize {scaling['desiredSize']} and maxSize "
            f"{scaling['maxSize']} are not in order, or maxSize is 0",
        )
    changes["scalingConfig"] = scaling
    labels = call.get("labels") or {}
    gone = set(labels.get("removeLabels") or [])
    kept = {name: value for name, value in group["labels"].items() if name not in gone}
    changes["labels"] = {**kept, **(labels.get("addOrUpdateLabels") or {})}
    taints = call.get("taints") or {}
    named = {(each["key"], each["effect"]): each for each in group["taints"]}
    for each in taints.get("removeTaints") or []:
        named.pop((each["key"], each["effect"]), None)
    named.update({(each["key"], each["effect"]): each for each in taints.get("addOrUpdateTaints") or []})
    changes["taints"] = list(named.values())
    if call.get("updateConfig"):
        changes["updateConfig"] = call.get("updateConfig")
    if call.get("nodeRepairConfig"):
        changes["nodeRepairConfig"] = _repair(call.need("nodeRepairConfig"))
    return changes


def _repair(repair: Mapping[str, Any]) -> Mapping[str, Any]:
    """EKS takes a count or a percentage, and an override with all of its members alone."""
    for name in ("maxUnhealthyNodeThreshold", "maxParallelNodesRepaired"):
        if f"{name}Count" in repair and f"{name}Percentage" in repair:
            raise ApiError(
                "InvalidParameterException", f"{name}Count and {name}Percentage exclude each other"
            )
    for each in repair.get("nodeRepairConfigOverrides") or []:
        missing = sorted(_OVERRIDE - set(each))
        if missing:
            raise ApiError("InvalidParameterException", f"an override of node repair lacks {missing[0]}")
    return repair
