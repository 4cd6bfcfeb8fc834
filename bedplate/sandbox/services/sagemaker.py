"""The SageMaker API, as far as HyperPod clusters and their nodes go."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.resources.hyperpod_instances import HyperPodInstances
from bedplate.sandbox.sandbox import HyperPodNode, Sandbox
from bedplate.sandbox.services.service import ApiError, Call, Service

PAGE = 100
"""Nodes of a page where the caller names no number (awslabs/agent-plugins, ``hyperpod-ssm/SKILL.md``)."""
_RUNNING = {"Status": "Running", "Message": ""}


class SageMakerApi:
    """Reads clusters and nodes, and replaces nodes."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._records = sandbox.hyperpod

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "sagemaker",
            {
                "ListClusters": self._list_clusters,
                "DescribeCluster": self._describe_cluster,
                "ListClusterNodes": self._list_nodes,
                "DescribeClusterNode": self._describe_node,
                "BatchReplaceClusterNodes": self._replace_nodes,
            },
        )

    def _list_clusters(self, call: Call) -> Mapping[str, Any]:
        names = ("ClusterArn", "ClusterName", "ClusterStatus")
        home = f"arn:aws:sagemaker:{call.region}:{call.account}:cluster/"
        return {
            "ClusterSummaries": [
                {**{name: each[name] for name in names}, "CreationTime": _time(each)}
                for arn, each in self._records.clusters.items()
                if arn.startswith(home)
            ]
        }

    def _describe_cluster(self, call: Call) -> Mapping[str, Any]:
        cluster = self._cluster(call)
        groups = [self._group(cluster, each) for each in cluster["InstanceGroups"]]
        return {**cluster, "CreationTime": _time(cluster), "InstanceGroups": groups}

    def _group(self, cluster: Mapping[str, Any], group: Mapping[str, Any]) -> Mapping[str, Any]:
        count = len(self._records.nodes_of(cluster["ClusterArn"], group["InstanceGroupName"]))
        told = {"CurrentCount": count, "TargetCount": int(group["InstanceCount"]), "Status": "InService"}
        return {**group, **told}

    def _list_nodes(self, call: Call) -> Mapping[str, Any]:
        part = str(call.get("InstanceGroupNameContains", ""))
        nodes = [
            each for each in self._records.nodes_of(self._cluster(call)["ClusterArn"]) if part in each.group
        ]
        if call.get("SortBy") == "NAME":
            nodes.sort(key=lambda each: each.instance_id)
        if call.get("SortOrder") == "Descending":
            nodes.reverse()
        begin = _place(call.get("NextToken"))
        end = begin + int(call.get("MaxResults") or PAGE)
        found: dict[str, Any] = {"ClusterNodeSummaries": [_summary(each) for each in nodes[begin:end]]}
        if end < len(nodes):
            found["NextToken"] = base64.b64encode(str(end).encode()).decode()
        return found

    def _describe_node(self, call: Call) -> Mapping[str, Any]:
        cluster = self._cluster(call)
        wanted = call.need("NodeId")
        node = self._records.nodes.get(wanted)
        if node is None or node.cluster_arn != cluster["ClusterArn"]:
            raise ApiError("ResourceNotFound", f"Instance with id {wanted} is not in the cluster")
        group = next(each for each in cluster["InstanceGroups"] if each["InstanceGroupName"] == node.group)
        subnet = ec2_backends[call.account][call.region].get_subnet(node.subnet_id)
        names = ("LifeCycleConfig", "OverrideVpcConfig", "InstanceStorageConfigs", "NetworkInterface")
        return {
            "NodeDetails": {
                **_summary(node),
                **{name: group[name] for name in names if name in group},
                "PrivatePrimaryIp": node.private_ip,
                "Placement": {
                    "AvailabilityZone": subnet.availability_zone,
                    "AvailabilityZoneId": subnet.availability_zone_id,
                },
            }
        }

    def _replace_nodes(self, call: Call) -> Mapping[str, Any]:
        cluster = self._cluster(call)
        instances = HyperPodInstances(self._sandbox, account=call.account, region=call.region)
        done, failed = [], []
        for wanted in call.need("NodeIds"):
            node = self._records.nodes.get(wanted)
            if node is None or node.cluster_arn != cluster["ClusterArn"]:
                failed.append(
                    {"NodeId": wanted, "ErrorCode": "InstanceIdNotFound", "Message": "no such node"}
                )
                continue
            try:
                instances.replace(cluster, node)
            except ResourceError as error:
                failed.append(_failed(wanted, "InternalServerError", str(error)))
            else:
                done.append(wanted)
        return {"Successful": done, "Failed": failed}

    def _cluster(self, call: Call) -> dict[str, Any]:
        wanted = call.need("ClusterName")
        home = f"arn:aws:sagemaker:{call.region}:{call.account}:cluster/"
        for arn, each in self._records.clusters.items():
            if arn.startswith(home) and wanted in (arn, each["ClusterName"]):
                return each
        raise ApiError("ResourceNotFound", f"Cluster with name {wanted} was not found")


def _summary(node: HyperPodNode) -> dict[str, Any]:
    return {
        "InstanceGroupName": node.group,
        "InstanceId": node.instance_id,
        "InstanceType": node.instance_type,
        "LaunchTime": node.launched,
        "InstanceStatus": _RUNNING,
        "PrivateDnsHostname": f"ip-{node.private_ip.replace('.', '-')}.ec2.internal",
    }


def _failed(node_id: str, code: str, message: str) -> dict[str, str]:
    return {"NodeId": node_id, "ErrorCode": code, "Message": message}


def _time(cluster: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(cluster["CreationTime"])


def _place(token: str | None) -> int:
    try:
        return int(base64.b64decode(token, validate=True)) if token else 0
    except (binascii.Error, ValueError):
        raise ApiError("ValidationException", f"{token} is no NextToken") from None
