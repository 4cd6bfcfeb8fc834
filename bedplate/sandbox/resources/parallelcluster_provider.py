"""AWS::CloudFormation::Stack, for the one nested stack that there is: ParallelCluster's provider of clusters.

A marked stub of ours stands for AWS's template, which cannot be had offline: its address, its parameters and
its outputs are played, and nothing that it makes (a function, a layer, roles, a bucket).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.cloudformation.precheck import PARALLELCLUSTER_TEMPLATE
from bedplate.sandbox.sandbox import Sandbox

VERSIONS = ("3.16.1",)
"""Versions that the stub stands for."""
_PARAMETERS = {"CustomLambdaRole", "AdditionalIamPolicies", "CustomBucket"}
"""aws-parallelcluster, cloudformation/custom_resource/cluster.yaml."""
FUNCTION_PREFIX = "pcluster-cfn-"


class ParallelClusterProviderHandler:
    """Remembers which function tokens it gave out, and for which version."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """The provider, by its address."""
        version = _version(request)
        stack = request.arn("cloudformation", f"stack/{request.stack_name}-{request.logical_id}/0")
        token = request.arn("lambda", f"function:{FUNCTION_PREFIX}{request.stack_name}")
        self._sandbox.parallelcluster.providers[token] = version
        outputs = {
            "Outputs.ServiceToken": token,
            "Outputs.LogGroupArn": request.arn("logs", f"log-group:/aws/lambda/{FUNCTION_PREFIX}log"),
            "Outputs.LambdaLayerArn": request.arn("lambda", "layer:PCLayer:1"),
        }
        return Made(physical_id=stack, attribute=outputs.__getitem__, state={"token": token})

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Other parameters; another version is another function for clusters that know one version."""
        self._sandbox.parallelcluster.providers[made.state["token"]] = _version(request)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """No clusters are made any more."""
        self._sandbox.parallelcluster.providers.pop(made.state["token"], None)


def _version(request: ResourceRequest) -> str:
    url = str(request.properties["TemplateURL"])
    match = PARALLELCLUSTER_TEMPLATE.fullmatch(url)
    if match is None or match["version"] not in VERSIONS:
        raise ResourceError(f"SBX-021: the sandbox has no template at {url}")
    if match["region"] != request.region:
        raise ResourceError(f"the template of {match['region']} makes no function in {request.region}")
    unknown = set(request.properties.get("Parameters") or {}) - _PARAMETERS
    if unknown:
        raise ResourceError(f"Parameters: [{', '.join(sorted(unknown))}] do not exist in the template")
    return match["version"]
