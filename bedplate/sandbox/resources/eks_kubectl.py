"""CDK's kubectl provider: whether its function could reach a cluster, and may act in it.

Its code cannot run here, for it has no API server to talk to. What it does is played, and what would keep it
from working is refused: a function that is not there, a private endpoint seen from outside of the VPC, a role
without an access entry.
"""

from __future__ import annotations

from typing import Any

from moto.awslambda.models import lambda_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.found import cluster_of
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.sandbox import Sandbox

_INNER = "USER_ON_EVENT_FUNCTION_ARN"
"""How CDK's provider framework names the function that does the work."""
_ADMIN = "cluster-access-policy/AmazonEKSClusterAdminPolicy"


def reached_cluster(sandbox: Sandbox, request: ResourceRequest) -> PlayedEksCluster:
    """The cluster that the resource names, as its provider's function reaches it; ``ResourceError`` else."""
    function = _function(request, str(request.properties.get("ServiceToken", "")))
    inner = (function.environment_vars or {}).get(_INNER)
    worker = _function(request, str(inner)) if inner else function
    cluster = cluster_of(sandbox, request)
    network = cluster.described["resourcesVpcConfig"]
    inside = bool((worker.vpc_config or {}).get("SubnetIds"))
    if not network["endpointPublicAccess"] and not inside:
        raise ResourceError(
            f"Unable to connect to the server: dial tcp: i/o timeout: the endpoint of {cluster.name} is "
            f"private and {worker.function_name} is not in its VPC"
        )
    policies = cluster.access_policies.get(str(worker.role), [])
    if not any(str(each["policyArn"]).endswith(_ADMIN) for each in policies):
        raise ResourceError(
            "You must be logged in to the server (the server has asked for the client to provide "
            f"credentials): {worker.role} has no access entry with AmazonEKSClusterAdminPolicy"
        )
    return cluster


def _function(request: ResourceRequest, token: str) -> Any:
    if ":lambda:" not in token:
        raise ResourceError(f"ServiceToken {token!r} of {request.logical_id} is not a Lambda function")
    try:
        return lambda_backends[request.account][request.region].get_function(token)
    except Exception as error:
        raise ResourceError(f"no function {token}: {error}") from error
