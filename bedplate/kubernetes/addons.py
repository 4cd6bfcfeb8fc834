"""The add-ons of EKS that a cluster has, in their order, each with its configuration and its rights.

An add-on takes the part of its chart's values that its schema names and refuses the rest, so that only what
is needed is said. Whether EKS takes these very keys could not be asked here: **unverified**.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES, everywhere
from bedplate.kubernetes.versions import Component, component, components
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.orchestrator.kubernetes_software import cluster_software

WARM_ADDRESSES = 4
LEAST_ADDRESSES = 16
"""Addresses that a node keeps beyond those in use, and has at least. Choices of ours: left alone the CNI
keeps a whole interface's worth in reserve, which empties a subnet of many nodes.
"""


@dataclass(frozen=True, kw_only=True)
class Rights:
    """What a service account may do in AWS, by EKS Pod Identity.

    ``managed_policy`` is a policy of AWS's; empty where the stack writes one for its own buckets.
    """

    namespace: str
    service_account: str
    managed_policy: str = ""


@dataclass(frozen=True, kw_only=True)
class AddOn:
    """One add-on. ``after_nodes``: it wants HyperPod's nodes to be there already."""

    component: Component
    configuration: Mapping[str, Any] = field(default_factory=dict)
    rights: Rights | None = None
    after_nodes: bool = False


_HYPERPOD_LAST = frozenset({"hyperpod-task-governance", "hyperpod-training-operator"})

_CONFIGURATION: Mapping[str, Mapping[str, Any]] = {
    "vpc-cni": {
        "env": {"WARM_IP_TARGET": str(WARM_ADDRESSES), "MINIMUM_IP_TARGET": str(LEAST_ADDRESSES)},
    },
    "coredns": {"nodeSelector": SYSTEM_NODES},
    # Its DCGM tolerates nothing by itself, and every GPU node has a taint.
    "eks-node-monitoring-agent": {"dcgmAgent": {"tolerations": everywhere()}},
}

_RIGHTS: Mapping[str, Rights] = {
    "vpc-cni": Rights(
        namespace="kube-system", service_account="aws-node", managed_policy="AmazonEKS_CNI_Policy"
    ),
    "aws-mountpoint-s3-csi-driver": Rights(namespace="kube-system", service_account="s3-csi-driver-sa"),
    "hyperpod-training-operator": Rights(
        namespace="aws-hyperpod",
        service_account="hp-training-operator-controller-manager",
        managed_policy="AmazonSageMakerHyperPodTrainingOperatorAccess",
    ),
}
"""Drivers of Lustre and EFS have none: they mount volumes that are there, and make none."""


def add_ons(orchestrator: Eks | EksHyperPod, *, file_system_kinds: Iterable[str] = ()) -> tuple[AddOn, ...]:
    """Every add-on in the order in which they are made, one after the other."""
    names = cluster_software(orchestrator, file_system_kinds=file_system_kinds)
    return tuple(_add_on(name) for name in names if name in components() and _is_add_on(name))


def _is_add_on(name: str) -> bool:
    return component(name).kind == "add-on"


def _add_on(name: str) -> AddOn:
    return AddOn(
        component=component(name),
        configuration=_CONFIGURATION.get(name, {}),
        rights=_RIGHTS.get(name),
        after_nodes=name in _HYPERPOD_LAST,
    )
