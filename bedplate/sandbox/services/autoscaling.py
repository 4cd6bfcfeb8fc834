"""EC2 Auto Scaling, as far as the groups behind EKS's node groups go."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.eks.records import EksNode, PlayedEksCluster
from bedplate.sandbox.resources.eks_instances import EksInstances
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service


class AutoScalingApi:
    """Tells which instance is in which group, and ends one instance so that another comes."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "autoscaling",
            {
                "DescribeAutoScalingInstances": self._instances,
                "TerminateInstanceInAutoScalingGroup": self._terminate,
            },
        )

    def _instances(self, call: Call) -> Mapping[str, Any]:
        wanted = call.get("InstanceIds")
        rows = [
            _row(cluster, node)
            for cluster in self._sandbox.eks.of(call.account, call.region)
            for node in cluster.nodes.values()
            if wanted is None or node.instance_id in wanted
        ]
        return {"AutoScalingInstances": rows}

    def _terminate(self, call: Call) -> Mapping[str, Any]:
        instance_id = call.need("InstanceId")
        owner = self._sandbox.eks.owner_of(instance_id)
        if owner is None or (owner[0].account, owner[0].region) != (call.account, call.region):
            raise ApiError(
                "ValidationError", f"Instance Id not found - No managed instance found for {instance_id}"
            )
        cluster, group = owner
        shrink = call.need("ShouldDecrementDesiredCapacity") in (True, "true")
        scaling = group["scalingConfig"]
        if shrink:
            if scaling["desiredSize"] <= scaling["minSize"]:
                raise ApiError("ValidationError", "the group is at its minimum size already")
            scaling["desiredSize"] -= 1
        instances = EksInstances(self._sandbox, cluster)
        instances.end([instance_id])
        try:
            instances.scale(group)
        except ResourceError as error:
            # The group tries again and again; whoever waits for the instance reads why none comes.
            group["health"]["issues"] = [{"code": "AsgInstanceLaunchFailures", "message": str(error)}]
        return {
            "Activity": {
                "ActivityId": str(uuid.uuid4()),
                "AutoScalingGroupName": _group_name(group),
                "Cause": "a user request",
                "StartTime": datetime.now(UTC),
                "StatusCode": "InProgress",
                "Description": f"Terminating EC2 instance: {instance_id}",
            }
        }


def _row(cluster: PlayedEksCluster, node: EksNode) -> Mapping[str, Any]:
    return {
        "InstanceId": node.instance_id,
        "InstanceType": node.instance_type,
        "AutoScalingGroupName": _group_name(cluster.node_groups[node.group]),
        "AvailabilityZone": node.zone,
        "LifecycleState": "InService",
        "HealthStatus": "HEALTHY",
        "ProtectedFromScaleIn": False,
    }


def _group_name(group: Mapping[str, Any]) -> str:
    return str(group["resources"]["autoScalingGroups"][0]["name"])
