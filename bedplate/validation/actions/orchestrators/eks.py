"""EKS: node repair of a managed node group within our cap, and one instance replaced by its scaling group."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bedplate.hardware.xids import policy as xid_policy
from bedplate.validation.actions.orchestrators.api_call import ApiCall
from bedplate.validation.actions.policy import ActionPolicy

HARDWARE_CONDITION = "AcceleratedHardwareReady"
"""The condition under which EKS's node monitoring agent tells of GPUs (EKS User Guide, node-repair)."""

_REPAIRS = MappingProxyType(
    {xid_policy.REPLACE: "Replace", xid_policy.REBOOT: "Reboot", xid_policy.RESET: "Reboot"}
)
"""Our policy → EKS's word; the milder ones leave a node fit for work."""


def node_repair(
    *,
    cluster: str,
    node_group: str,
    nodes: int,
    policy: ActionPolicy,
    actions: Mapping[str, str] = MappingProxyType({}),
    wait_minutes: int = 10,
) -> ApiCall:
    """Turn the group's own repair on, or off where the policy is to report, within the policy's cap.

    Counts, not percentages: EKS takes the share of nodes in parallel of the *unhealthy* ones. Above the cap
    EKS stops repairing. ``actions`` are those for single reasons of the monitoring agent, in place of EKS's
    own (``xid_actions``); an override has to name all four of its members.
    """
    most = policy.most_out(nodes=nodes)
    repair: dict[str, Any] = {"enabled": policy.on_failure == "replace"}
    if repair["enabled"]:
        repair |= {"maxUnhealthyNodeThresholdCount": most, "maxParallelNodesRepairedCount": most}
        if actions:
            repair["nodeRepairConfigOverrides"] = [
                {
                    "nodeMonitoringCondition": HARDWARE_CONDITION,
                    "nodeUnhealthyReason": reason,
                    "minRepairWaitTimeMins": wait_minutes,
                    "repairAction": action,
                }
                for reason, action in actions.items()
            ]
    parameters: Mapping[str, Any] = {
        "clusterName": cluster,
        "nodegroupName": node_group,
        "nodeRepairConfig": repair,
    }
    return ApiCall("eks", "UpdateNodegroupConfig", parameters)


def xid_actions(policies: Mapping[int, str]) -> dict[str, str]:
    """The monitoring agent's reason → EKS's action, for an environment's own policies by Xid.

    The agent makes a condition of some Xids alone, and an event of the others, which repairs nothing. Where
    its connection to DCGM is lost (``DCGMError``) EKS does nothing by itself: a second DCGM engine on a good
    node must not change that.
    """
    return {f"NvidiaXID{code}Error": _REPAIRS.get(policy, "NoAction") for code, policy in policies.items()}


def replacement(*, instance_id: str) -> ApiCall:
    """End one instance of a managed node group and keep the group's size, so that another one comes.

    The node is to be cordoned and empty before: the call itself does not look for pods.
    """
    return ApiCall(
        "autoscaling",
        "TerminateInstanceInAutoScalingGroup",
        {"InstanceId": instance_id, "ShouldDecrementDesiredCapacity": False},
    )
