"""What SageMaker tells of a node of a HyperPod cluster now; EC2 does not know it."""

from __future__ import annotations

from typing import Any

from bedplate.errors import AwsRefused
from bedplate.validation.aws import AwsClients, aws_errors

_TOLD = ("InstanceGroupName", "InstanceType", "CurrentImageId", "PrivatePrimaryIp")


def about_hyperpod_node(*, clients: AwsClients, cluster: str, instance_id: str) -> dict[str, Any]:
    """Group, type, image, status, launch, zone; only ``problem`` where SageMaker does not say.

    A node that was replaced is unknown, which is no reason to have no archive.
    """
    try:
        with aws_errors(f"asking about {instance_id}"):
            row = clients.sagemaker.describe_cluster_node(ClusterName=cluster, NodeId=instance_id)
    except AwsRefused as error:
        return {"problem": error.message}
    details: Any = row.get("NodeDetails") or {}
    status, placement = details.get("InstanceStatus") or {}, details.get("Placement") or {}
    launched = details.get("LaunchTime")
    found = {
        **{name: details.get(name) for name in _TOLD},
        "State": status.get("Status"),
        "StateTransitionReason": status.get("Message"),
        "LaunchTime": launched.isoformat() if launched else None,
        "AvailabilityZone": placement.get("AvailabilityZone"),
        "AvailabilityZoneId": placement.get("AvailabilityZoneId"),
    }
    return {name: value for name, value in found.items() if value}
