"""What EKS offers: versions of Kubernetes, and add-ons."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

KUBERNETES_VERSIONS = ("1.33", "1.34", "1.35", "1.36")
"""Versions that a cluster can be made of here (EKS User Guide, kubernetes-versions); older ones in extended
support are left out."""

ADDONS: Mapping[str, str] = MappingProxyType(
    {
        "adot": "opentelemetry-operator-system",
        "amazon-cloudwatch-observability": "amazon-cloudwatch",
        "amazon-sagemaker-hyperpod-observability": "hyperpod-observability",
        "amazon-sagemaker-hyperpod-taskgovernance": "kueue-system",
        "amazon-sagemaker-hyperpod-training-operator": "aws-hyperpod",
        "aws-ebs-csi-driver": "kube-system",
        "aws-efs-csi-driver": "kube-system",
        "aws-fsx-csi-driver": "kube-system",
        "aws-mountpoint-s3-csi-driver": "kube-system",
        "aws-network-flow-monitoring-agent": "amazon-network-flow-monitor",
        "cert-manager": "cert-manager",
        "coredns": "kube-system",
        "eks-node-monitoring-agent": "kube-system",
        "eks-pod-identity-agent": "kube-system",
        "external-dns": "external-dns",
        "kube-proxy": "kube-system",
        "kube-state-metrics": "kube-state-metrics",
        "metrics-server": "kube-system",
        "prometheus-node-exporter": "prometheus-node-exporter",
        "snapshot-controller": "kube-system",
        "vpc-cni": "kube-system",
    }
)
"""Add-on → its namespace (EKS User Guide, workloads-add-ons-available-eks and community-addons). Namespaces
of HyperPod's add-ons are unverified."""
PLAYED_VERSION = "v1.0.0-eksbuild.1"
"""The version of every add-on here: the sandbox knows none of the real numbers, and takes any that is well
formed."""


def addon_versions(name: str, kubernetes: str | None) -> Mapping[str, Any]:
    """What DescribeAddonVersions tells of one add-on."""
    clusters = [each for each in KUBERNETES_VERSIONS if kubernetes in (None, each)]
    return {
        "addonName": name,
        "owner": "aws",
        "publisher": "eks",
        "defaultNamespace": ADDONS[name],
        "addonVersions": [
            {
                "addonVersion": PLAYED_VERSION,
                "architecture": ["amd64", "arm64"],
                "computeTypes": ["ec2"],
                "requiresConfiguration": False,
                "requiresIamPermissions": False,
                "compatibilities": [
                    {"clusterVersion": each, "platformVersions": ["*"], "defaultVersion": True}
                    for each in clusters
                ],
            }
        ],
    }


def image_of(ami_type: str, version: str, release: str | None) -> str:
    """The id of the image that a node group of EKS's own images runs; made up, the same for the same."""
    digest = hashlib.sha256(f"{ami_type} {version} {release}".encode()).hexdigest()
    return f"ami-{digest[:17]}"
