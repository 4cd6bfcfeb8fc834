"""AWS::SageMaker::Cluster: a HyperPod cluster, whose nodes are simulated."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.iam.models import iam_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.hyperpod_eks import eks_problems
from bedplate.sandbox.resources.hyperpod_instances import HyperPodInstances
from bedplate.sandbox.resources.hyperpod_refusals import changed_types, problems
from bedplate.sandbox.sandbox import Sandbox

_ID_CHARACTERS = string.ascii_lowercase + string.digits
_TRUSTED = "sagemaker.amazonaws.com"


class HyperPodClusterHandler(GenericHandler):
    """Checks what HyperPod checks, keeps each group's instances running, and ends them on delete.

    Played with ``NodeProvisioningMode`` Continuous or without alike: a group that cannot be filled fails the
    stack, where HyperPod would go on trying. Health events, deep health checks and slurmctld are not played;
    under EKS neither is Karpenter. A node under EKS is one that the cluster of Kubernetes is told of.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Record the cluster, then launch its instances."""
        self._refuse(request)
        home, name = request.arn("sagemaker", "cluster/"), request.properties.get("ClusterName")
        for arn, other in self._sandbox.hyperpod.clusters.items():
            if arn.startswith(home) and other["ClusterName"] == name:
                raise ResourceError(
                    f"ResourceInUse: Cluster with name {name} already exists. Choose a different name."
                )
        made = super().create(request)
        self._record(made)
        try:
            self._instances(request).scale(made.state)
        except Exception:
            self.delete(request, made)
            raise
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Scale; a changed script or type reaches new instances alone, as at AWS."""
        self._refuse(request)
        changed = changed_types(old["InstanceGroups"], request.properties["InstanceGroups"])
        if changed:
            raise ResourceError(f"ValidationException: {'; '.join(changed)}")
        new = super().update(request, made, old)
        self._record(new)
        self._instances(request).scale(new.state)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """End every instance."""
        self._instances(request).end(self._sandbox.hyperpod.nodes_of(made.physical_id))
        self._sandbox.hyperpod.clusters.pop(made.physical_id, None)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """ARN, which ends in an id of twelve characters, and the time of the making."""
        known = self._sandbox.hyperpod.clusters.get(str(values.get("ClusterArn")))
        identifier = "".join(secrets.choice(_ID_CHARACTERS) for _ in range(12))
        return {
            "ClusterArn": known["ClusterArn"] if known else request.arn("sagemaker", f"cluster/{identifier}"),
            "ClusterStatus": "InService",
            "CreationTime": known["CreationTime"] if known else datetime.now(UTC).isoformat(),
            "FailureMessage": "",
        }

    def _instances(self, request: ResourceRequest) -> HyperPodInstances:
        return HyperPodInstances(self._sandbox, account=request.account, region=request.region)

    def _refuse(self, request: ResourceRequest) -> None:
        found = [*problems(request.properties), *eks_problems(self._sandbox, request)]
        roles = {role.arn: role for role in iam_backends[request.account]["aws"].roles.values()}
        for arn in sorted({str(each["ExecutionRole"]) for each in request.properties["InstanceGroups"]}):
            if arn not in roles:
                found.append(f"ExecutionRole {arn} does not exist")
            elif _TRUSTED not in str(roles[arn].assume_role_policy_document):
                found.append(f"ExecutionRole {arn} does not trust {_TRUSTED}")
        if "VpcConfig" not in request.properties:
            found.append("SBX-017: the sandbox plays clusters with a VpcConfig alone")
        if found:
            raise ResourceError(f"ValidationException: {'; '.join(found)}")

    def _record(self, made: Made) -> None:
        self._sandbox.hyperpod.clusters[made.physical_id] = dict(made.state)
