"""Which namespaces and kinds a cluster has: what the API server would refuse for want of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.eks.objects import BUILT_IN_NAMESPACES, group_of
from bedplate.sandbox.eks.records import PlayedEksCluster, kubernetes_objects

_BUILT_IN_GROUPS = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
_OF_AWS = ("k8s.aws", "k8s.amazonaws.com")
"""Groups that every EKS cluster has, by its network add-on and its control plane."""
_WITHOUT_KINDS = frozenset({"coredns", "eks-pod-identity-agent", "kube-proxy", "vpc-cni"})
"""Add-ons that bring no kinds beside those of AWS; any other may, and the sandbox does not know which."""


def namespaces_of(cluster: PlayedEksCluster) -> set[str]:
    """Every namespace of the cluster."""
    made = {
        str(each["metadata"]["name"])
        for each in kubernetes_objects(cluster)
        if each["kind"] == "Namespace" and not group_of(each)
    }
    addons = {str(each["namespaceConfig"]["namespace"]) for each in cluster.addons.values()}
    return {
        *BUILT_IN_NAMESPACES,
        *made,
        *addons,
        *(release.namespace for release in cluster.releases.values()),
    }


def api_versions(cluster: PlayedEksCluster) -> list[str]:
    """Group and version of every kind that the cluster was given by a definition."""
    return sorted(
        {
            f"{each['spec']['group']}/{version['name']}"
            for each in _definitions(cluster)
            for version in each["spec"].get("versions") or []
        }
    )


def refuse_unknown(cluster: PlayedEksCluster, objects: Sequence[Mapping[str, Any]]) -> None:
    """``ResourceError`` for an object whose namespace or kind is not there.

    A kind that no definition brought passes where something is installed whose definitions the sandbox could
    not read: a release whose chart was not at hand, or an add-on.
    """
    namespaces = namespaces_of(cluster)
    kinds = {(each["spec"]["group"], each["spec"]["names"]["kind"]) for each in _definitions(cluster)}
    open_end = any(release.rendered_by == "echo" for release in cluster.releases.values()) or bool(
        set(cluster.addons) - _WITHOUT_KINDS
    )
    for each in objects:
        group, kind = group_of(each), str(each["kind"])
        known = group in _BUILT_IN_GROUPS or group.endswith(_OF_AWS) or (group, kind) in kinds
        if not known and not open_end:
            raise ResourceError(
                f'no matches for kind "{kind}" in version "{each["apiVersion"]}": '
                "ensure CRDs are installed first"
            )
        namespace = each["metadata"].get("namespace")
        if namespace and namespace not in namespaces:
            raise ResourceError(f'Error from server (NotFound): namespaces "{namespace}" not found')
        if kind == "Namespace" and not group:
            namespaces.add(str(each["metadata"]["name"]))


def _definitions(cluster: PlayedEksCluster) -> list[Mapping[str, Any]]:
    return [each for each in kubernetes_objects(cluster) if each["kind"] == "CustomResourceDefinition"]
