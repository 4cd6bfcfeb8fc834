"""Finds the cluster that a resource names."""

from __future__ import annotations

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.sandbox import Sandbox


def cluster_of(sandbox: Sandbox, request: ResourceRequest) -> PlayedEksCluster:
    """The cluster named by ``ClusterName``; ``ResourceError`` where there is none."""
    name = str(request.properties["ClusterName"])
    found = sandbox.eks.find(request.account, request.region, name)
    if found is None:
        raise ResourceError(f"ResourceNotFoundException: No cluster found for name: {name}.")
    return found
