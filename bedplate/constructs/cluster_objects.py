"""Objects of one's own in an EKS cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import CustomResource, RemovalPolicy
from aws_cdk import aws_eks_v2 as eks_v2
from constructs import Construct


class ClusterObjects(Construct):
    """Documents that are applied together, in their order, by the cluster's function (``kubectl apply``).

    Nothing is ever deleted by it: one that is taken out of the list stays in the cluster, and so do all when
    the construct is taken out. A namespace that went would take every job and claim in it along.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster: eks_v2.Cluster,
        documents: Sequence[Mapping[str, Any]],
    ) -> None:
        super().__init__(scope, id)
        self.manifest = eks_v2.KubernetesManifest(
            self,
            "Manifest",
            cluster=cluster,  # type: ignore[arg-type]  # the bindings' protocol lacks a member
            manifest=[dict(each) for each in documents],
            prune=False,
        )
        """The CDK's own construct."""
        # The custom resource has no wrapper that takes a removal policy.
        resource: CustomResource = self.manifest.node.find_child("Resource")  # type: ignore[assignment]
        resource.apply_removal_policy(RemovalPolicy.RETAIN)
