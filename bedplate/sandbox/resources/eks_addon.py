"""AWS::EKS::Addon."""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.eks.versions import ADDONS, PLAYED_VERSION
from bedplate.sandbox.resources.eks_pod_identity import refuse_role
from bedplate.sandbox.sandbox import Sandbox

_VERSION = re.compile(r"v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)*")
_NEEDS_NODES = frozenset(
    {"amazon-sagemaker-hyperpod-observability", "amazon-sagemaker-hyperpod-taskgovernance"}
)
"""Add-ons that do not become active in a cluster without HyperPod's nodes."""


class EksAddonHandler(GenericHandler):
    """An add-on, remembered with its settings; nothing of it runs."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Install; one add-on of a name in a cluster."""
        cluster = cluster_of(self._sandbox, request)
        name = str(request.properties["AddonName"])
        _refuse(request)
        if name in cluster.addons:
            raise ResourceError("ResourceInUseException: Addon already exists.")
        if name in _NEEDS_NODES and not self._has_hyperpod_nodes(cluster.described["arn"]):
            raise ResourceError(f"{name} does not become active: the cluster has no HyperPod nodes")
        made = super().create(request)
        identities = _identify(cluster, request, made.state["Arn"])
        known = {"createdAt": datetime.now(UTC)}
        cluster.addons[name] = _described(request, made.state, known, identities)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over another version or other settings."""
        _refuse(request)
        cluster = cluster_of(self._sandbox, request)
        new = super().update(request, made, old)
        name = str(request.properties["AddonName"])
        identities = _identify(cluster, request, new.state["Arn"])
        cluster.addons[name] = _described(request, new.state, cluster.addons[name], identities)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Remove; an add-on or a cluster that is gone is no error."""
        name = str(request.properties["ClusterName"])
        cluster = self._sandbox.eks.find(request.account, request.region, name)
        if cluster is not None:
            cluster.addons.pop(str(request.properties["AddonName"]), None)
            _forget_identities(cluster, made.state["Arn"])

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The ARN, which ends in an id of its own."""
        if str(values.get("Arn", "")).count("/") > 2:
            return {"Arn": values["Arn"]}
        properties = request.properties
        path = f"addon/{properties['ClusterName']}/{properties['AddonName']}/{uuid.uuid4()}"
        return {"Arn": request.arn("eks", path)}

    def _has_hyperpod_nodes(self, cluster_arn: str) -> bool:
        return any(
            (each.get("Orchestrator") or {}).get("Eks", {}).get("ClusterArn") == cluster_arn
            and self._sandbox.hyperpod.nodes_of(arn)
            for arn, each in self._sandbox.hyperpod.clusters.items()
        )


def _refuse(request: ResourceRequest) -> None:
    properties = request.properties
    name = str(properties["AddonName"])
    if name not in ADDONS:
        raise ResourceError(f"InvalidParameterException: Addon {name} specified is not supported")
    version = properties.get("AddonVersion")
    if version is not None and not _VERSION.fullmatch(str(version)):
        raise ResourceError(f"InvalidParameterException: {version} is no version of an add-on")
    for each in properties.get("PodIdentityAssociations") or []:
        refuse_role(request, str(each["RoleArn"]))
    settings = properties.get("ConfigurationValues")
    if settings is not None and not isinstance(_parsed(str(settings)), dict):
        raise ResourceError("InvalidParameterException: ConfigurationValue is not in JSON or YAML format")


def _identify(cluster: PlayedEksCluster, request: ResourceRequest, owner: str) -> list[str]:
    """Make the associations that the add-on asks for, which are its own; their ARNs."""
    _forget_identities(cluster, owner)
    found = []
    for each in request.properties.get("PodIdentityAssociations") or []:
        identifier = f"a-{secrets.token_hex(8)}"
        arn = request.arn("eks", f"podidentityassociation/{cluster.name}/{identifier}")
        name = str(request.properties["AddonName"])
        now = datetime.now(UTC)
        cluster.pod_identities[identifier] = {
            "clusterName": cluster.name,
            "namespace": (request.properties.get("NamespaceConfig") or {}).get("Namespace") or ADDONS[name],
            "serviceAccount": each["ServiceAccount"],
            "roleArn": each["RoleArn"],
            "associationArn": arn,
            "associationId": identifier,
            "ownerArn": owner,
            "createdAt": now,
            "modifiedAt": now,
        }
        found.append(arn)
    return found


def _forget_identities(cluster: PlayedEksCluster, owner: str) -> None:
    for identifier, each in list(cluster.pod_identities.items()):
        if each.get("ownerArn") == owner:
            del cluster.pod_identities[identifier]


def _parsed(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _described(
    request: ResourceRequest, state: Mapping[str, Any], known: Mapping[str, Any], identities: list[str]
) -> dict[str, Any]:
    name, now = state["AddonName"], datetime.now(UTC)
    namespace = (state.get("NamespaceConfig") or {}).get("Namespace") or ADDONS[name]
    told = {
        "addonName": name,
        "clusterName": state["ClusterName"],
        "status": "ACTIVE",
        "addonVersion": state.get("AddonVersion") or known.get("addonVersion", PLAYED_VERSION),
        "health": {"issues": []},
        "addonArn": state["Arn"],
        "createdAt": known["createdAt"],
        "modifiedAt": now,
        "owner": "aws",
        "publisher": "eks",
        "namespaceConfig": {"namespace": namespace},
        "podIdentityAssociations": identities,
        "tags": request.all_tags(),
    }
    for member, name in (
        ("configurationValues", "ConfigurationValues"),
        ("serviceAccountRoleArn", "ServiceAccountRoleArn"),
    ):
        if name in state:
            told[member] = state[name]
    return told
