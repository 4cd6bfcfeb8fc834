"""What is mended in moto 5.2.5 itself, each with its reason. The version is pinned for this module's sake."""

from __future__ import annotations

import json
from typing import Any

from moto.awslambda.models import LayerVersion
from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.iam.models import SERVICE_NAME_CONVERSION
from moto.s3.models import FakeBucket

from bedplate.sandbox.moto_databases import let_interfaces_go
from bedplate.sandbox.moto_zones import add_local_zones

# moto names a service-linked role after the service's host name; these services have names of their own.
_SERVICE_LINKED_ROLE_NAMES = {
    "eks": "AmazonEKS",
    "eks-nodegroup": "AmazonEKSNodegroup",
    "elasticfilesystem": "AmazonElasticFileSystem",
    "fsx": "AmazonFSx",
    "pcs": "PCS",
    "rds": "RDS",
    "spot": "EC2Spot",
}


def apply() -> None:
    """Mend moto; harmless when called twice."""
    SERVICE_NAME_CONVERSION.update(_SERVICE_LINKED_ROLE_NAMES)
    FakeBucket.get_permission = _bucket_permission  # type: ignore[method-assign, assignment]
    # CloudFormation's Ref of a layer is its ARN, which functions name; moto gives the bare name.
    LayerVersion.physical_resource_id = property(lambda layer: layer.arn)  # type: ignore[attr-defined]
    add_local_zones()
    let_interfaces_go()


def _bucket_permission(bucket: Any, action: str, resource: str) -> Any:
    """moto drops conditions, so that a Deny without ``aws:SecureTransport`` shuts a bucket for all.

    Statements under a condition are left out: the sandbox cannot tell whether their conditions hold.
    """
    if bucket.policy is None:
        return PermissionResult.NEUTRAL
    text = bucket.policy.decode() if isinstance(bucket.policy, bytes) else bucket.policy
    policy = json.loads(text)
    policy["Statement"] = [statement for statement in policy["Statement"] if "Condition" not in statement]
    if not policy["Statement"]:
        return PermissionResult.NEUTRAL
    return IAMPolicy(json.dumps(policy)).is_action_permitted(action, resource)
