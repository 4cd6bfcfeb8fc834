"""The nodes of a HyperPod cluster, which EC2 does not show: they are SageMaker's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.instance import Instance

GONE = frozenset({"ShuttingDown", "NotFound"})
"""Statuses of a node that will not come back (SageMaker API, ClusterInstanceStatusDetails)."""
_HOST = re.compile(r"^ip-(\d+)-(\d+)-(\d+)-(\d+)(\.|$)")


def hyperpod_instances(*, clients: AwsClients, cluster: str, group: str) -> tuple[Instance, ...]:
    """The living nodes of one instance group, in no order."""
    found: list[Instance] = []
    with aws_errors("listing the nodes"):
        pages = clients.sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=cluster)
        for page in pages:
            found += [
                _instance(row, address=_address(clients, cluster, row))
                for row in page["ClusterNodeSummaries"]
                if row["InstanceGroupName"] == group and row["InstanceStatus"]["Status"] not in GONE
            ]
    return tuple(found)


def _instance(row: Mapping[str, Any], *, address: str) -> Instance:
    running = row["InstanceStatus"]["Status"] == "Running"
    return Instance(
        instance_id=row["InstanceId"],
        instance_type=str(row["InstanceType"]).removeprefix("ml."),
        private_ip=address,
        state="running" if running else "pending",
        launched_at=row.get("LaunchTime"),
    )


def _address(clients: AwsClients, cluster: str, row: Mapping[str, Any]) -> str:
    """By the host's name, which every page has; a node with another name is asked for by itself."""
    match = _HOST.match(str(row.get("PrivateDnsHostname") or ""))
    if match:
        return ".".join(match.groups()[:4])
    told = clients.sagemaker.describe_cluster_node(ClusterName=cluster, NodeId=row["InstanceId"])
    return str(told["NodeDetails"].get("PrivatePrimaryIp") or "")
