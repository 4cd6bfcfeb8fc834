"""EKS add-ons of HyperPod's own, and what has to be there before each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bedplate.kubernetes.hyperpod.chart import HYPERPOD_NAMESPACE
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod

POD_IDENTITY_AGENT = "eks-pod-identity-agent"
CERT_MANAGER = "cert-manager"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The service account that an add-on's pods work as, and AWS's own policy for its role."""

    namespace: str
    service_account: str
    managed_policy: str


@dataclass(frozen=True, kw_only=True)
class HyperPodAddOn:
    """An add-on that is made once HyperPod has nodes: before that its pods have nowhere to run.

    ``needs`` are other add-ons, by name, to be made before it; ``endpoints`` are services that nodes of a VPC
    without a way out reach by an endpoint; ``oldest`` is the first version that does what we ask of it.
    """

    name: str
    needs: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    identity: Identity | None = None
    oldest: str | None = None
    source: str


TASK_GOVERNANCE = HyperPodAddOn(
    name="amazon-sagemaker-hyperpod-taskgovernance",
    # The first that the training operator works with, which may be switched on later.
    oldest="v1.3.0-eksbuild.1",
    source="SageMaker Developer Guide, task governance setup: no other Kueue, Kubernetes 1.30 or later",
)
TRAINING_OPERATOR = HyperPodAddOn(
    name="amazon-sagemaker-hyperpod-training-operator",
    needs=(POD_IDENTITY_AGENT, CERT_MANAGER),
    endpoints=("sagemaker.api", "eks-auth"),
    identity=Identity(
        namespace=HYPERPOD_NAMESPACE,
        service_account="hp-training-operator-controller-manager",
        managed_policy="AmazonSageMakerHyperPodTrainingOperatorAccess",
    ),
    source="SageMaker Developer Guide, sagemaker-eks-operator-install",
)


def hyperpod_add_ons(orchestrator: EksHyperPod) -> tuple[HyperPodAddOn, ...]:
    """Those that the file asks for, in the order to make them. ``ValueError`` for two Kueues."""
    if orchestrator.task_governance and orchestrator.admission == "kueue":
        raise ValueError(
            "task_governance: it brings a Kueue of its own, and two would both admit each job; write "
            "`admission: none` beside it, or leave task_governance out"
        )
    rows = (
        (orchestrator.task_governance, TASK_GOVERNANCE),
        (orchestrator.training_operator, TRAINING_OPERATOR),
    )
    return tuple(row for wanted, row in rows if wanted)


def check_prerequisites(wanted: Collection[HyperPodAddOn], *, before: Collection[str]) -> None:
    """``ValueError`` where an add-on would come without one that it needs; ``before`` are names."""
    for row in wanted:
        missing = [each for each in row.needs if each not in before]
        if missing:
            raise ValueError(
                f"{row.name}: it needs the add-on {' and '.join(missing)}, made before it ({row.source})"
            )
