"""AWS::EKS::Nodegroup: launches EC2 instances and boots them as simulated nodes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.resources.eks_instances import EksInstances
from bedplate.sandbox.resources.eks_node_group_refusals import group_problems
from bedplate.sandbox.resources.eks_template import template_of
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import lower_camel

_LAUNCH = ("LaunchTemplate", "Version", "ReleaseVersion")
"""Properties whose change puts new instances in the place of all that run."""


class EksNodeGroupHandler(GenericHandler):
    """Checks what EKS checks, keeps the desired number of instances, and ends them on delete."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Record the group, then launch its instances."""
        cluster = cluster_of(self._sandbox, request)
        request = _named(request, generated_name(request))
        name = str(request.properties["NodegroupName"])
        self._refuse(request, cluster)
        if name in cluster.node_groups:
            raise ResourceError(
                f"ResourceInUseException: NodeGroup already exists with name {name} and cluster name "
                f"{cluster.name}"
            )
        made = super().create(request)
        _let_in(cluster, str(request.properties["NodeRole"]))
        group = cluster.node_groups[name] = _described(request, made.state, cluster)
        try:
            EksInstances(self._sandbox, cluster).scale(group)
        except Exception:
            self._forget(cluster, name)
            raise
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Scale; another version of template or Kubernetes puts new instances in the place of all."""
        cluster = cluster_of(self._sandbox, request)
        request = _named(request, made.state["NodegroupName"])
        self._refuse(request, cluster)
        _refuse_other_template(request.properties, old)
        changed = any(old.get(name) != request.properties.get(name) for name in _LAUNCH)
        group = cluster.node_groups[str(request.properties["NodegroupName"])]
        if changed:
            _refuse_full_block(request.properties)
        new = super().update(request, made, old)
        group.update(_described(request, new.state, cluster, known=group))
        instances = EksInstances(self._sandbox, cluster)
        if changed:
            instances.end_all(group)
        instances.scale(group)
        instances.relabel(group)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """End the instances; a group or a cluster that is gone is no error."""
        name = str(request.properties["ClusterName"])
        cluster = self._sandbox.eks.find(request.account, request.region, name)
        if cluster is not None:
            self._forget(cluster, str(made.state["NodegroupName"]))

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id and ARN in EKS's style."""
        properties = request.properties
        path = f"{properties['ClusterName']}/{properties['NodegroupName']}"
        if values.get("Id") == path:
            return {}
        return {"Id": path, "Arn": request.arn("eks", f"nodegroup/{path}/{uuid.uuid4()}")}

    def _forget(self, cluster: PlayedEksCluster, name: str) -> None:
        group = cluster.node_groups.get(name)
        if group is not None:
            EksInstances(self._sandbox, cluster).end_all(group)
            del cluster.node_groups[name]

    def _refuse(self, request: ResourceRequest, cluster: PlayedEksCluster) -> None:
        template = template_of(request, request.properties)
        problems = group_problems(self._sandbox, request, cluster, template)
        if problems:
            raise ResourceError(f"InvalidParameterException: {'; '.join(problems)}")


def _let_in(cluster: PlayedEksCluster, role: str) -> None:
    """EKS makes the access entry of a managed group's role itself, where clusters have entries."""
    if (
        cluster.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
        or role in cluster.access_entries
    ):
        return
    now, name = datetime.now(UTC), role.rpartition("/")[2]
    path = f"access-entry/{cluster.name}/role/{cluster.account}/{name}/{uuid.uuid4()}"
    cluster.access_entries[role] = {
        "clusterName": cluster.name,
        "principalArn": role,
        "kubernetesGroups": ["system:nodes"],
        "accessEntryArn": f"arn:aws:eks:{cluster.region}:{cluster.account}:{path}",
        "createdAt": now,
        "modifiedAt": now,
        "username": "system:node:{{EC2PrivateDNSName}}",
        "type": "EC2_LINUX",
    }
    cluster.access_policies[role] = []


def _named(request: ResourceRequest, name: str) -> ResourceRequest:
    return replace(request, properties={"NodegroupName": name, **request.properties})


def _refuse_other_template(properties: Mapping[str, Any], old: Mapping[str, Any]) -> None:
    before, after = (
        {key: each for key, each in (one.get("LaunchTemplate") or {}).items() if key != "Version"}
        for one in (old, properties)
    )
    if before != after:
        raise ResourceError(
            "InvalidParameterException: a node group keeps the launch template that it was made with; "
            f"only its version changes, not {before or 'none'} to {after or 'none'}"
        )


def _refuse_full_block(properties: Mapping[str, Any]) -> None:
    """An update launches new nodes before it ends old ones, and a block has no place for both."""
    wanted = int((properties.get("ScalingConfig") or {}).get("DesiredSize", 1))
    minimal = (properties.get("UpdateConfig") or {}).get("UpdateStrategy") == "MINIMAL"
    if properties.get("CapacityType") == "CAPACITY_BLOCK" and wanted and not minimal:
        raise ResourceError(
            f"InsufficientInstanceCapacity: the desired size must be 0 while a node group with a Capacity "
            f"Block is updated, not {wanted}"
        )


def _described(
    request: ResourceRequest,
    state: Mapping[str, Any],
    cluster: PlayedEksCluster,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The group as DescribeNodegroup tells it."""
    now, scaling = datetime.now(UTC), state.get("ScalingConfig") or {}
    template = template_of(request, request.properties)
    known = known or {}
    name = str(state["NodegroupName"])
    told: dict[str, Any] = {
        "nodegroupName": name,
        "nodegroupArn": state["Arn"],
        "clusterName": cluster.name,
        "version": str(state.get("Version") or known.get("version") or cluster.described["version"]),
        "releaseVersion": state.get("ReleaseVersion"),
        "createdAt": known.get("createdAt", now),
        "modifiedAt": now,
        "status": "ACTIVE",
        "capacityType": state.get("CapacityType", "ON_DEMAND"),
        "scalingConfig": {
            "minSize": int(scaling.get("MinSize", 1)),
            "maxSize": int(scaling.get("MaxSize", 1)),
            "desiredSize": int(scaling.get("DesiredSize", 1)),
        },
        "subnets": list(state["Subnets"]),
        "amiType": state.get("AmiType")
        or ("CUSTOM" if template.get("ImageId") else "AL2023_x86_64_STANDARD"),
        "nodeRole": state["NodeRole"],
        "labels": dict(state.get("Labels") or {}),
        "taints": lower_camel(state.get("Taints") or []),
        "resources": known.get("resources")
        or {"autoScalingGroups": [{"name": f"eks-{name}-{uuid.uuid4()}"}]},
        "health": {"issues": []},
        "updateConfig": lower_camel(state.get("UpdateConfig") or {"MaxUnavailable": 1}),
        "nodeRepairConfig": lower_camel(state.get("NodeRepairConfig") or {"Enabled": False}),
        "tags": dict(request.properties.get("Tags") or {}),
    }
    if "InstanceTypes" in state:
        told["instanceTypes"] = list(state["InstanceTypes"])
    if "LaunchTemplate" in state:
        told["launchTemplate"] = lower_camel(dict(state["LaunchTemplate"]))
    return told
