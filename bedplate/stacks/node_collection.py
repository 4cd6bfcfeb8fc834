"""From the environment file and the workspace to what a node is told about its metrics."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.containers import Download
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.collection import CollectionOfPackages, NoCollection
from bedplate.stacks.observability_stack import ObservabilityStack


@dataclass(frozen=True, kw_only=True)
class NodeCollection:
    """``told`` is what nodes are told, ``workspace_arn`` what their role may write to; ``objects`` (bucket
    and key) are what they fetch for it. ``told`` and ``workspace_arn`` are None where nothing is collected.
    """

    told: Collection | None = None
    workspace_arn: str | None = None
    objects: tuple[tuple[str, str], ...] = ()


def node_collection(environment: Environment, observability: ObservabilityStack) -> NodeCollection:
    """For all nodes of the cluster."""
    wanted = environment.observability.collection
    if isinstance(wanted, NoCollection):
        return NodeCollection()
    packages = wanted.packages if isinstance(wanted, CollectionOfPackages) else ()
    workspace = observability.workspace
    return NodeCollection(
        told=Collection(
            url=f"{workspace.endpoint}api/v1/remote_write",
            region=environment.region,
            cluster=cluster_name(environment.name),
            zone=environment.network.zone,
            packages=tuple(Download(each.uri, each.sha256) for each in packages),
        ),
        workspace_arn=workspace.workspace_arn,
        objects=tuple((each.bucket, each.key) for each in packages),
    )
