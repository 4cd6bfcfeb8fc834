"""AWS::EKS::AccessEntry."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.sandbox import Sandbox

_POLICY = "arn:aws:eks::aws:cluster-access-policy/"
_NODE_TYPES = ("EC2", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "HYPERPOD_LINUX")


class EksAccessEntryHandler(GenericHandler):
    """Who may do what by the Kubernetes API: remembered, and asked when charts and manifests are deployed."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Let a principal in; one entry of a principal in a cluster."""
        cluster = cluster_of(self._sandbox, request)
        _refuse(cluster, request)
        if request.properties["PrincipalArn"] in cluster.access_entries:
            raise ResourceError(
                "ResourceInUseException: The specified access entry resource is already in use on this "
                "cluster."
            )
        made = super().create(request)
        _record(cluster, request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over other groups and policies."""
        cluster = cluster_of(self._sandbox, request)
        _refuse(cluster, request)
        new = super().update(request, made, old)
        _record(cluster, request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Let the principal in no more; an entry or a cluster that is gone is no error."""
        properties = request.properties
        cluster = self._sandbox.eks.find(request.account, request.region, str(properties["ClusterName"]))
        if cluster is not None:
            cluster.access_entries.pop(str(properties["PrincipalArn"]), None)
            cluster.access_policies.pop(str(properties["PrincipalArn"]), None)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The ARN, which ends in an id of its own."""
        if str(values.get("AccessEntryArn", "")).count("/") > 2:
            return {"AccessEntryArn": values["AccessEntryArn"]}
        kind, _, name = str(request.properties["PrincipalArn"]).rpartition(":")[2].partition("/")
        cluster = request.properties["ClusterName"]
        path = f"access-entry/{cluster}/{kind}/{request.account}/{name}/{uuid.uuid4()}"
        return {"AccessEntryArn": request.arn("eks", path)}


def _refuse(cluster: PlayedEksCluster, request: ResourceRequest) -> None:
    properties = request.properties
    if cluster.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise ResourceError(
            "InvalidRequestException: The cluster's authentication mode must be set to one of "
            "[API, API_AND_CONFIG_MAP] to perform this operation."
        )
    for group in properties.get("KubernetesGroups") or []:
        if str(group).startswith("system:"):
            raise ResourceError(f"InvalidParameterException: the group {group} begins with system:")
    policies = properties.get("AccessPolicies") or []
    if policies and properties.get("Type", "STANDARD") in _NODE_TYPES:
        raise ResourceError("InvalidParameterException: an entry of nodes takes no access policies")
    for each in policies:
        if not str(each["PolicyArn"]).startswith(_POLICY):
            raise ResourceError(f"InvalidParameterException: {each['PolicyArn']} is no access policy of EKS")
        scope = each["AccessScope"]
        if (scope["Type"] == "namespace") != bool(scope.get("Namespaces")):
            raise ResourceError(
                "InvalidParameterException: Namespaces go with the scope namespace, and only so"
            )


def _record(cluster: PlayedEksCluster, request: ResourceRequest, made: Made) -> None:
    state, now = made.state, datetime.now(UTC)
    principal = str(state["PrincipalArn"])
    known = cluster.access_entries.get(principal, {})
    cluster.access_entries[principal] = {
        "clusterName": cluster.name,
        "principalArn": principal,
        "kubernetesGroups": list(state.get("KubernetesGroups") or []),
        "accessEntryArn": state["AccessEntryArn"],
        "createdAt": known.get("createdAt", now),
        "modifiedAt": now,
        "username": state.get("Username") or principal,
        "type": state.get("Type", "STANDARD"),
        "tags": request.all_tags(),
    }
    cluster.access_policies[principal] = [
        {
            "policyArn": each["PolicyArn"],
            "accessScope": {
                "type": each["AccessScope"]["Type"],
                "namespaces": list(each["AccessScope"].get("Namespaces") or []),
            },
            "associatedAt": now,
            "modifiedAt": now,
        }
        for each in state.get("AccessPolicies") or []
    ]
