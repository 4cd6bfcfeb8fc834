"""HyperPod's add-ons, and what each needs."""

from __future__ import annotations

import pytest

from bedplate.kubernetes.hyperpod.add_ons import (
    TASK_GOVERNANCE,
    TRAINING_OPERATOR,
    check_prerequisites,
    hyperpod_add_ons,
)
from tests.kubernetes.hyperpod.conftest import orchestrator


def test_the_file_says_which_there_are() -> None:
    """None by default; governance before the operator, which works with it."""
    assert hyperpod_add_ons(orchestrator()) == ()
    both = orchestrator(task_governance=True, training_operator=True, admission="none")
    assert hyperpod_add_ons(both) == (TASK_GOVERNANCE, TRAINING_OPERATOR)


def test_two_kueues_are_refused() -> None:
    """Ours beside the one that task governance brings, with both ways out."""
    with pytest.raises(ValueError, match="`admission: none`"):
        hyperpod_add_ons(orchestrator(task_governance=True))


def test_the_operator_comes_after_what_it_needs() -> None:
    """A certificate manager and the agent of pod identity; what is missing is named."""
    check_prerequisites([TRAINING_OPERATOR], before=["cert-manager", "eks-pod-identity-agent"])
    check_prerequisites([TASK_GOVERNANCE], before=[])
    with pytest.raises(ValueError, match="needs the add-on cert-manager, made before it"):
        check_prerequisites([TASK_GOVERNANCE, TRAINING_OPERATOR], before=["eks-pod-identity-agent"])


def test_the_operators_pods_have_a_role() -> None:
    """By AWS's own policy, for the service account that the add-on's page names."""
    identity = TRAINING_OPERATOR.identity
    assert identity is not None
    assert identity.namespace == "aws-hyperpod"
    assert identity.service_account == "hp-training-operator-controller-manager"
    assert TASK_GOVERNANCE.identity is None
