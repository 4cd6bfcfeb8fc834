"""The add-ons of EKS, their order and what each is told."""

from __future__ import annotations

import json

from bedplate.kubernetes.addons import LEAST_ADDRESSES, WARM_ADDRESSES, add_ons
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod

EKS = Eks.model_validate({"kind": "eks", "mountpoint_s3": True})
HYPERPOD = EksHyperPod.model_validate(
    {"kind": "eks-hyperpod", "admission": "none", "task_governance": True, "training_operator": True}
)


def test_the_order_of_a_cluster_with_everything() -> None:
    """Pod Identity comes first, then the network, then drivers, then what watches."""
    found = add_ons(EKS, file_system_kinds=("lustre", "existing-efs", "openzfs"))
    assert [each.component.chart for each in found] == [
        "eks-pod-identity-agent",
        "vpc-cni",
        "kube-proxy",
        "coredns",
        "aws-fsx-csi-driver",
        "aws-efs-csi-driver",
        "aws-mountpoint-s3-csi-driver",
        "eks-node-monitoring-agent",
        "metrics-server",
    ]
    assert not any(each.after_nodes for each in found)


def test_a_cluster_that_repairs_no_nodes_has_no_agent_for_it() -> None:
    """The agent brings a DCGM, and nobody would act on what it finds."""
    plain = Eks.model_validate({"kind": "eks", "node_repair": "none"})
    assert "eks-node-monitoring-agent" not in [each.component.name for each in add_ons(plain)]


def test_add_ons_of_hyperpod_wait_for_its_nodes() -> None:
    """Task governance and the training operator come after the nodes; cert-manager before the operator."""
    found = [(each.component.name, each.after_nodes) for each in add_ons(HYPERPOD)]
    assert found[-3:] == [
        ("cert-manager", False),
        ("hyperpod-training-operator", True),
        ("hyperpod-task-governance", True),
    ]
    assert "eks-node-monitoring-agent" not in dict(found)


def test_every_configuration_is_json_without_null() -> None:
    """EKS takes a configuration as JSON, and CDK loses a null."""
    for each in (*add_ons(EKS, file_system_kinds=("lustre", "efs")), *add_ons(HYPERPOD)):
        text = json.dumps(each.configuration)
        assert json.loads(text) == each.configuration
        assert "null" not in text


def test_the_network_keeps_few_addresses_in_reserve() -> None:
    """Numbers are strings: they become environment variables."""
    (cni,) = [each for each in add_ons(EKS) if each.component.name == "vpc-cni"]
    assert cni.configuration["env"] == {
        "WARM_IP_TARGET": str(WARM_ADDRESSES),
        "MINIMUM_IP_TARGET": str(LEAST_ADDRESSES),
    }


def test_the_agents_dcgm_runs_on_tainted_nodes() -> None:
    """Every GPU node has a taint, and the agent's DCGM tolerates none by itself."""
    (agent,) = [each for each in add_ons(EKS) if each.component.name == "eks-node-monitoring-agent"]
    assert agent.configuration["dcgmAgent"]["tolerations"] == [{"operator": "Exists"}]


def test_only_what_calls_aws_has_rights() -> None:
    """The network, Mountpoint and the training operator have a role; drivers of static volumes have none."""
    every = (*add_ons(EKS, file_system_kinds=("lustre", "efs")), *add_ons(HYPERPOD))
    assert {each.component.name for each in every if each.rights} == {
        "vpc-cni",
        "aws-mountpoint-s3-csi-driver",
        "hyperpod-training-operator",
    }
