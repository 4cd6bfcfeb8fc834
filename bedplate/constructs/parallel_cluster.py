"""A cluster that AWS ParallelCluster makes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import CustomResource, RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.parallelcluster_provider import ParallelClusterProvider

LONGEST_NAME = 60
LONGEST_NAME_WITH_ACCOUNTING = 40
"""aws-parallelcluster 3.16.1, pcluster/constants.py: a database's name is made of the cluster's."""
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")


class ParallelCluster(Construct):
    """A cluster of ``configuration``, which is ParallelCluster's own and may hold CDK tokens.

    It is a stack of its own beside the one that names it, so ``name`` must differ from that one's. The name
    is for life: ParallelCluster refuses another, so a cluster is never replaced. It goes with the stack, and
    with it all that its nodes hold; what is to stay is in file systems that are given to it by id.

    ``suppress_validators`` are ParallelCluster's, such as ``type:UrlValidator``. Rolling back is left as it
    is: the provider passes that property to updates too, and they refuse it. CloudFormation waits an hour for
    a custom resource, which bounds a creation or an update.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        configuration: Mapping[str, Any],
        provider: ParallelClusterProvider,
        suppress_validators: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        _check(name, stack_name=Stack.of(self).stack_name, accounting=_accounting(configuration))
        asked: dict[str, Any] = {
            "ClusterName": name,
            "ClusterConfiguration": configuration,
            "DeletionPolicy": "Delete",
        }
        if suppress_validators:
            asked["SuppressValidators"] = list(suppress_validators)
        self.resource = CustomResource(
            self,
            "Cluster",
            resource_type="Custom::PclusterCluster",
            service_token=provider.service_token,
            removal_policy=RemovalPolicy.DESTROY,
            properties=asked,
        )
        """The custom resource."""
        self.name: str = name
        """The cluster's name."""
        self.version: str = provider.version
        """The version of ParallelCluster that it is of."""
        self.stack_arn: str = self.resource.get_att_string("cloudformationStackArn")
        """ARN of the cluster's own stack."""
        self.head_node_id: str = self.resource.get_att_string("headNode.instanceId")
        """Instance id of the head node at the last deploy."""
        self.head_node_address: str = self.resource.get_att_string("headNode.privateIpAddress")
        """Private address of the head node at the last deploy."""


def _accounting(configuration: Mapping[str, Any]) -> bool:
    return "Database" in configuration.get("Scheduling", {}).get("SlurmSettings", {})


def _check(name: str, *, stack_name: str, accounting: bool) -> None:
    most = LONGEST_NAME_WITH_ACCOUNTING if accounting else LONGEST_NAME
    if not _NAME.fullmatch(name) or len(name) > most:
        raise ValueError(
            f"name: {name!r} given, wanted a letter, then letters, digits and hyphens, {most} at most"
            f"{' with a database' if accounting else ''}"
        )
    if name == stack_name:
        raise ValueError(f"name: {name!r} is the stack's, and the cluster is a stack of its own")
