"""AWS::EKS::PodIdentityAssociation."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.iam.models import iam_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.sandbox import Sandbox

_TRUSTED = "pods.eks.amazonaws.com"


class EksPodIdentityHandler(GenericHandler):
    """Which role the pods of a service account take: remembered; no pod asks for it here."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Associate; one role for a service account."""
        cluster = cluster_of(self._sandbox, request)
        refuse_role(request, str(request.properties["RoleArn"]))
        wanted = (request.properties["Namespace"], request.properties["ServiceAccount"])
        if wanted in {
            (each["namespace"], each["serviceAccount"]) for each in cluster.pod_identities.values()
        }:
            raise ResourceError(
                f"ResourceInUseException: Association already exists: {wanted[0]}/{wanted[1]}"
            )
        made = super().create(request)
        _record(cluster, request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Another role."""
        cluster = cluster_of(self._sandbox, request)
        refuse_role(request, str(request.properties["RoleArn"]))
        new = super().update(request, made, old)
        _record(cluster, request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Undo it; an association or a cluster that is gone is no error."""
        name = str(request.properties["ClusterName"])
        cluster = self._sandbox.eks.find(request.account, request.region, name)
        if cluster is not None:
            cluster.pod_identities.pop(str(made.state["AssociationId"]), None)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id and ARN in EKS's style."""
        known = str(values.get("AssociationId", ""))
        identifier = known if known.startswith("a-") else f"a-{secrets.token_hex(8)}"
        path = f"podidentityassociation/{request.properties['ClusterName']}/{identifier}"
        return {"AssociationId": identifier, "AssociationArn": request.arn("eks", path)}


def refuse_role(request: ResourceRequest, arn: str) -> None:
    """``ResourceError`` for a role that pods cannot take."""
    roles = {role.arn: role for role in iam_backends[request.account]["aws"].roles.values()}
    if arn not in roles:
        raise ResourceError(f"InvalidParameterException: Role {arn} does not exist")
    document = str(roles[arn].assume_role_policy_document)
    if _TRUSTED not in document or "sts:TagSession" not in document:
        raise ResourceError(
            f"InvalidParameterException: Trust policy of role {arn} is invalid: {_TRUSTED} must be allowed "
            "sts:AssumeRole and sts:TagSession"
        )


def _record(cluster: PlayedEksCluster, request: ResourceRequest, made: Made) -> None:
    state, now = made.state, datetime.now(UTC)
    known = cluster.pod_identities.get(state["AssociationId"], {})
    cluster.pod_identities[state["AssociationId"]] = {
        "clusterName": cluster.name,
        "namespace": state["Namespace"],
        "serviceAccount": state["ServiceAccount"],
        "roleArn": state["RoleArn"],
        "associationArn": state["AssociationArn"],
        "associationId": state["AssociationId"],
        "createdAt": known.get("createdAt", now),
        "modifiedAt": now,
        "tags": request.all_tags(),
    }
