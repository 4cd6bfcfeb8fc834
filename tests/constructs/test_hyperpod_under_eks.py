"""HyperPod's cluster under EKS, and who hears of its unwell nodes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bedplate.kubernetes.hyperpod.task_governance import compute_quotas, scheduler_config
from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.schema import resource_schema
from tests.kubernetes.hyperpod.conftest import AROUND, RANGE, made, orchestrator
from tests.slurm.pools import pool

if TYPE_CHECKING:
    from aws_cdk import Stack

SCRIPT = Path(__file__).parents[2] / "bedplate/constructs/hyperpod_eks_life_cycle/on_create.sh"
Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]


def _request() -> dict[str, Any]:
    eks = orchestrator(karpenter=True, tiered_storage_percent=20)
    return made(pool(), pool(name="burst", nodes=RANGE), eks=eks)


def _cluster(stack: Stack, **changes: Any) -> Any:
    from bedplate.constructs.hyperpod_cluster import HyperPodCluster

    return HyperPodCluster(stack, "Cluster", cluster={**_request(), **changes})


def _of(template: Template, kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]


def test_the_cluster_is_the_document(synthesise: Synthesise) -> None:
    """Nothing is lost or renamed on the way, labels with a slash and a group of no nodes among it."""
    (found,) = _of(synthesise(_cluster), "AWS::SageMaker::Cluster")
    assert found == _request()
    assert found["InstanceGroups"][1]["InstanceCount"] == 0
    assert found["InstanceGroups"][0]["KubernetesConfig"]["Labels"]["bedplate.dev/pool"] == "h200"


def test_cloudformation_takes_the_cluster(synthesise: Synthesise) -> None:
    """Every property is one of AWS's schema, with a value that it allows."""
    (found,) = _of(synthesise(_cluster), "AWS::SageMaker::Cluster")
    schema = resource_schema("AWS::SageMaker::Cluster", "us-west-2")
    assert schema is not None
    assert property_problems(schema, found) == []


def test_what_is_no_property_of_it_is_refused(synthesise: Synthesise) -> None:
    """An unknown member is named before anything is synthesised."""
    with pytest.raises(ValueError, match="RestrictedInstanceGroups is no property that Kubernetes"):
        synthesise(lambda stack: _cluster(stack, RestrictedInstanceGroups=[]))


def test_people_hear_of_events_of_it(synthesise: Synthesise) -> None:
    """Rules for this cluster's ARN, and an alarm on the log group that its id is part of."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.hyperpod_health_events import HyperPodHealthEvents

        HyperPodHealthEvents(stack, "Health", cluster=_cluster(stack), topic_arn="arn:aws:sns:::topic")

    template = synthesise(build)
    (id_,) = [
        name for name, each in template["Resources"].items() if each["Type"] == "AWS::SageMaker::Cluster"
    ]
    rules = _of(template, "AWS::Events::Rule")
    assert len(rules) == 3
    for rule in rules:
        assert {"Fn::GetAtt": [id_, "ClusterArn"]} in _values(rule["EventPattern"])
        assert rule["Targets"][0]["Arn"] == "arn:aws:sns:::topic"
    (filter_,) = _of(template, "AWS::Logs::MetricFilter")
    assert id_ in json.dumps(filter_["LogGroupName"])
    assert "/aws/sagemaker/Clusters/bedplate-proof/" in json.dumps(filter_["LogGroupName"])


def _values(data: Any) -> list[Any]:
    """The data and everything in it."""
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [data, *(each for item in inner for each in _values(item))]


def _statements(template: Template) -> dict[str, dict[str, Any]]:
    (policy,) = _of(template, "AWS::IAM::ManagedPolicy")
    return {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}


def test_nodes_may_what_the_role_of_eks_adds(synthesise: Synthesise) -> None:
    """Addresses and roles for pods, images; and no report of a boot, since no bootstrap of ours runs."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.hyperpod_role import HyperPodRole

        HyperPodRole(
            stack,
            "Role",
            cluster_name="proof",
            subnet_ids=["subnet-1"],
            security_group_ids=["sg-1"],
            scripts_bucket="sagemaker-scripts",
            scripts_prefix="proof/0123",
            result_bucket="results",
            eks_cluster_arn=AROUND.eks_cluster_arn,
        )

    found = _statements(synthesise(build))
    assert found["LendRolesToPods"]["Resource"] == AROUND.eks_cluster_arn
    assert found["LendRolesToPods"]["Action"] == ["eks-auth:AssumeRoleForPodIdentity"]
    assert found["GivePodsAddresses"]["Resource"].endswith(":network-interface/*")
    assert "PullImages" in found
    assert "ReportBoots" not in found


def test_hyperpod_scales_by_a_role_of_its_own(synthesise: Synthesise) -> None:
    """Taken by HyperPod alone, to add and delete nodes of clusters in this account and Region."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.hyperpod_scaling_role import HyperPodScalingRole

        HyperPodScalingRole(stack, "Scaling")

    template = synthesise(build)
    (statement,) = _statements(template).values()
    assert statement["Action"] == ["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"]
    assert statement["Resource"] == "arn:aws:sagemaker:us-west-2:111122223333:cluster/*"
    (role,) = _of(template, "AWS::IAM::Role")
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "hyperpod.sagemaker.amazonaws.com"}


def test_the_folder_has_one_script(synthesise: Synthesise) -> None:
    """In a bucket that HyperPod finds by its name."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.hyperpod_eks_scripts import HyperPodEksScripts

        assert HyperPodEksScripts(stack, "Scripts", name="proof").on_create == "on_create.sh"

    template = synthesise(build)
    (folder,) = _of(template, "Custom::BedplateHyperPodScripts")
    assert set(folder["Copies"]) == {"on_create.sh"}
    assert folder["Files"] == {}
    (bucket,) = _of(template, "AWS::S3::Bucket")
    assert bucket["BucketName"] == "sagemaker-proof-111122223333-us-west-2"


@pytest.mark.parametrize("writable", [True, False])
def test_the_script_never_fails_a_node(tmp_path: Path, writable: bool) -> None:
    """It says that it ran, in HyperPod's log too where that can be written."""
    root = tmp_path / "root"
    if writable:
        root.mkdir()
    else:
        root.write_text("no folder")
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        env={"PATH": os.environ["PATH"], "BEDPLATE_ROOT": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    if writable:
        assert done.stdout == (root / "var/log/provision/provisioning.log").read_text()
        assert "nothing to set up" in done.stdout


def test_task_governance_comes_after_its_add_on(synthesise: Synthesise) -> None:
    """The policy and a quota a team, each as its document says, once the add-on that reads them is there."""
    eks = orchestrator(
        task_governance=True, admission="none", teams=[{"name": "vision", "gpus": 32}, {"name": "speech"}]
    )
    arn = "arn:aws:sagemaker:us-west-2:123456789012:cluster/abcdef123456"
    policy = scheduler_config(cluster_name="proof", cluster_arn=arn)
    quotas = compute_quotas(eks, pools=[pool()], cluster_name="proof", cluster_arn=arn)

    def build(stack: Stack) -> None:
        from aws_cdk import CfnResource

        from bedplate.constructs.hyperpod_task_governance import HyperPodTaskGovernance

        add_on = CfnResource(stack, "AddOn", type="AWS::EKS::Addon")
        HyperPodTaskGovernance(stack, "Governance", scheduler=policy, quotas=quotas, after=[add_on])

    template = synthesise(build)
    assert _of(template, "AWS::SageMaker::ClusterSchedulerConfig") == [policy]
    assert _of(template, "AWS::SageMaker::ComputeQuota") == list(quotas.values())
    for each in template["Resources"].values():
        assert each["Type"] == "AWS::EKS::Addon" or "AddOn" in each["DependsOn"]
