"""EKS: node repair of a managed node group within our cap, and one instance replaced by its scaling group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.validation.actions.orchestrators.api_call import ApiCall
from bedplate.validation.actions.policy import ActionPolicy

HARDWARE_CONDITION = "AcceleratedHardwareReady"
"""The condition under which EKS's node monitoring agent tells of GPUs (EKS User Guide, node-repair)."""


def node_repair(
    *,
    cluster: str,
    node_group: str,
    nodes: int,
    policy: ActionPolicy,
    never: Sequence[str] = (),
    wait_minutes: int = 10,
) -> ApiCall:
    """Turn the group's own repair on, or off where the policy is to report, within the policy's cap.

    Counts, not percentages: EKS takes the share of nodes in parallel of the *unhealthy* ones. Above the cap
    EKS stops repairing. ``never`` are reasons of the monitoring agent (``NvidiaXID63Error``) for which
    nothing is done; an override has to name all four of its members.
    """
    most = policy.most_out(nodes=nodes)
    repair: dict[str, Any] = {"enabled": policy.on_failure == "replace"}
    if repair["enabled"]:
        repair |= {"maxUnhealthyNodeThresholdCount": most, "maxParallelNodesRepairedCount": most}
        if never:
            repair["nodeRepairConfigOverrides"] = [
                {
                    "nodeMonitoringCondition": HARDWARE_CONDITION,
                    "nodeUnhealthyReason": reason,
                    "minRepairWaitTimeMins": wait_minutes,
                    "repairAction": "NoAction",
                }
                for reason in never
            ]
    parameters: Mapping[str, Any] = {
        "clusterName": cluster,
        "nodegroupName": node_group,
        "nodeRepairConfig": repair,
    }
    return ApiCall("eks", "UpdateNodegroupConfig", parameters)


def replacement(*, instance_id: str) -> ApiCall:
    """End one instance of a managed node group and keep the group's size, so that another one comes.

    The node is to be cordoned and empty before: the call itself does not look for pods.
    """
    return ApiCall(
        "autoscaling",
        "TerminateInstanceInAutoScalingGroup",
        {"InstanceId": instance_id, "ShouldDecrementDesiredCapacity": False},
    )
