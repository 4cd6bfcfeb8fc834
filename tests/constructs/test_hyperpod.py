"""HyperPod's cluster, its role, its scripts' folder, and who hears of unwell nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.sandbox.cloudformation.unknown import without_intrinsics
from tests.slurm.hyperpod.conftest import made
from tests.slurm.pools import pool

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]
GROUPS = {"controller": "Controller", "login": "Login", "h200": "Compute"}
SETTINGS = {
    name: NodeSettings(environment="prod", pool=name, role=role, result_bucket="results")
    for name, role in (("controller", "login"), ("login", "login"), ("h200", "compute"))
}


def _of(template: Template, kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]


def _cluster(stack: Stack, **changes: Any) -> Any:
    from bedplate.constructs.hyperpod_cluster import HyperPodCluster

    return HyperPodCluster(stack, "Cluster", cluster={**made(pool(), pool(name="more")), **changes})


def test_the_cluster_is_the_document(synthesise: Synthesise) -> None:
    """Nothing of the request is lost, renamed or emptied on the way into the template."""
    (found,) = _of(synthesise(_cluster), "AWS::SageMaker::Cluster")
    wanted = made(pool(), pool(name="more"))
    assert found == wanted
    assert found["InstanceGroups"][2]["CapacityRequirements"] == {"OnDemand": {}}


def test_cloudformation_takes_the_cluster(synthesise: Synthesise) -> None:
    """Every property is one of AWS's schema, with a value that it allows."""
    (found,) = _of(synthesise(_cluster), "AWS::SageMaker::Cluster")
    schema = resource_schema("AWS::SageMaker::Cluster", "us-west-2")
    assert schema is not None
    assert property_problems(schema, without_intrinsics(found)) == []
    spoiled = {**found, "NodeProvisioningMode": "Sometimes"}
    assert property_problems(schema, spoiled) != []


def test_what_slurm_on_hyperpod_has_not_is_refused(synthesise: Synthesise) -> None:
    """An unknown property is named before anything is synthesised."""
    with pytest.raises(ValueError, match="AutoScaling"):
        synthesise(lambda stack: _cluster(stack, AutoScaling={"Mode": "Enable"}))


def _role(stack: Stack, **more: Any) -> None:
    from bedplate.constructs.hyperpod_role import HyperPodRole

    HyperPodRole(
        stack,
        "Role",
        cluster_name="proof",
        subnet_ids=["subnet-1", "subnet-2"],
        security_group_ids=["sg-1"],
        scripts_bucket="sagemaker-scripts",
        scripts_prefix="proof/0123",
        result_bucket="results",
        **more,
    )


def _statements(template: Template) -> dict[str, dict[str, Any]]:
    (policy,) = _of(template, "AWS::IAM::ManagedPolicy")
    return {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}


def test_the_role_may_do_what_aws_names_and_no_more(synthesise: Synthesise) -> None:
    """The actions of AWS's policy and of its page on VPCs, and the reports of boots."""
    found = {action for each in _statements(synthesise(_role)).values() for action in each["Action"]}
    assert found == {
        *("logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"),
        *("cloudwatch:PutMetricData", "s3:ListBucket", "s3:GetObject", "s3:PutObject"),
        *("ssmmessages:CreateControlChannel", "ssmmessages:CreateDataChannel"),
        *("ssmmessages:OpenControlChannel", "ssmmessages:OpenDataChannel"),
        *("ec2:CreateNetworkInterface", "ec2:CreateNetworkInterfacePermission"),
        *("ec2:DeleteNetworkInterface", "ec2:DeleteNetworkInterfacePermission"),
        *("ec2:DescribeNetworkInterfaces", "ec2:DescribeVpcs", "ec2:DescribeDhcpOptions"),
        *("ec2:DescribeSubnets", "ec2:DescribeSecurityGroups", "ec2:DetachNetworkInterface"),
        "ec2:CreateTags",
    }


def test_the_role_reaches_its_own_cluster_only(synthesise: Synthesise) -> None:
    """Logs of this cluster, objects below the scripts' folder, interfaces in the given subnets."""
    found = _statements(synthesise(_role))
    assert found["WriteLogs"]["Resource"] == (
        "arn:aws:logs:us-west-2:111122223333:log-group:/aws/sagemaker/Clusters/proof/*:log-stream:*"
    )
    assert found["FetchScripts"]["Resource"] == "arn:aws:s3:::sagemaker-scripts/proof/0123/*"
    assert found["ListScripts"]["Condition"]["StringLike"] == {"s3:prefix": "proof/0123*"}
    assert found["ReportBoots"]["Resource"] == "arn:aws:s3:::results/bootstrap/*"
    assert found["MakeInterfaces"]["Resource"] == [
        "arn:aws:ec2:us-west-2:111122223333:network-interface/*",
        "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-1",
        "arn:aws:ec2:us-west-2:111122223333:subnet/subnet-2",
        "arn:aws:ec2:us-west-2:111122223333:security-group/sg-1",
    ]
    everywhere = {sid for sid, each in found.items() if each["Resource"] == "*"}
    assert everywhere == {"WriteMetrics", "OpenSessions", "SeeVpc", "TakeInterfacesBack"}
    assert found["WriteMetrics"]["Condition"]["StringEquals"] == {
        "cloudwatch:namespace": "/aws/sagemaker/Clusters"
    }


def test_the_role_has_its_rights_from_the_first_moment(synthesise: Synthesise) -> None:
    """The policy is made before the role, and SageMaker alone takes the role."""
    template = synthesise(_role)
    (role,) = _of(template, "AWS::IAM::Role")
    assert len(role["ManagedPolicyArns"]) == 1
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert "Roles" not in _of(template, "AWS::IAM::ManagedPolicy")[0]


def test_an_accounting_database_adds_the_reading_of_one_secret(synthesise: Synthesise) -> None:
    """Of that secret alone, and only where there is one."""
    secret = "arn:aws:secretsmanager:us-west-2:111122223333:secret:slurm-Ab1"
    found = _statements(synthesise(lambda stack: _role(stack, accounting_secret_arn=secret)))
    assert found["ReadAccountingSecret"]["Resource"] == secret
    assert "ReadAccountingSecret" not in _statements(synthesise(_role))


def _scripts(stack: Stack, **changes: Any) -> Any:
    from bedplate.constructs.hyperpod_scripts import HyperPodScripts

    values: dict[str, Any] = {
        "name": "Proof",
        "groups": GROUPS,
        "settings": SETTINGS,
        "slurm_settings": "KillWait=60\n",
        "partitions": "train MaxTime=3-0\n",
        "program_bucket": "assets",
        "program_key": "program.pyz",
        "program_sha256": "a" * 64,
        **changes,
    }
    return HyperPodScripts(stack, "Scripts", **values)


def _folder(template: Template) -> dict[str, Any]:
    (found,) = _of(template, "Custom::BedplateHyperPodScripts")
    return found


def test_the_folder_has_all_that_a_node_needs(synthesise: Synthesise) -> None:
    """Script, program and its digest, the gate, Slurm's settings, and one file of settings for each group."""
    folder = _folder(synthesise(_scripts))
    scripts = {"on_create.sh", "place.py", "keep_partitions.sh"}
    assert set(folder["Copies"]) == {*scripts, "bedplate-node.pyz"}
    assert folder["Copies"]["bedplate-node.pyz"] == {"Bucket": "assets", "Key": "program.pyz"}
    files = folder["Files"]
    assert files["groups"] == "controller Controller\nlogin Login\nh200 Compute\n"
    assert files["slurm-settings.conf"] == "KillWait=60\n"
    assert files["partitions"] == "train MaxTime=3-0\n"
    assert files["bedplate-node.sha256"] == "a" * 64 + "\n"
    assert "ExecStartPre=" in files["slurmd-gate.conf"]
    for name, settings in SETTINGS.items():
        assert NodeSettings.from_json(files[f"settings-{name}.json"]) == settings


def test_the_folder_is_named_by_what_is_in_it(synthesise: Synthesise) -> None:
    """The same content gives the same folder, any change another."""
    first = _folder(synthesise(_scripts))["Prefix"]
    assert _folder(synthesise(_scripts))["Prefix"] == first
    assert first.startswith("Proof/")
    for change in ({"slurm_settings": "KillWait=61\n"}, {"program_key": "other.pyz"}):
        assert _folder(synthesise(lambda stack, change=change: _scripts(stack, **change)))["Prefix"] != first


def test_hyperpod_finds_the_bucket_by_its_name(synthesise: Synthesise) -> None:
    """It begins as HyperPod asks, and goes with the stack."""
    template = synthesise(_scripts)
    (bucket,) = [each for each in template["Resources"].values() if each["Type"] == "AWS::S3::Bucket"]
    assert bucket["Properties"]["BucketName"] == "sagemaker-proof-111122223333-us-west-2"
    assert bucket["DeletionPolicy"] == "Delete"


def test_scripts_that_no_cluster_could_use_are_refused(synthesise: Synthesise) -> None:
    """Groups without settings, no controller."""
    with pytest.raises(ValueError, match="not the same"):
        synthesise(lambda stack: _scripts(stack, settings={}))
    with pytest.raises(ValueError, match="exactly one"):
        synthesise(lambda stack: _scripts(stack, groups=dict.fromkeys(GROUPS, "Compute")))


def test_a_long_name_is_cut_in_the_buckets_name(synthesise: Synthesise) -> None:
    """S3 takes 63 characters; two long names stay two."""
    found = [
        _of(synthesise(lambda stack, each=each: _scripts(stack, name=each)), "AWS::S3::Bucket")[0][
            "BucketName"
        ]
        for each in ("n" * 40, "n" * 41)
    ]
    assert all(len(name) == 63 and name.startswith("sagemaker-nnn") for name in found)
    assert len(set(found)) == 2


def _events(stack: Stack) -> None:
    from bedplate.constructs.hyperpod_health_events import HyperPodHealthEvents

    HyperPodHealthEvents(stack, "Health", cluster=_cluster(stack), topic_arn="arn:aws:sns:::topic")


def test_people_hear_of_events_of_their_cluster(synthesise: Synthesise) -> None:
    """By HyperPod's three kinds of event, each for this cluster alone and to the topic."""
    rules = _of(synthesise(_events), "AWS::Events::Rule")
    patterns = {each["EventPattern"]["detail-type"][0]: each["EventPattern"] for each in rules}
    assert set(patterns) == {
        "SageMaker HyperPod Cluster Node Health Event",
        "SageMaker HyperPod Cluster Event",
        "SageMaker HyperPod Cluster State Change",
    }
    for pattern in patterns.values():
        assert pattern["source"] == ["aws.sagemaker"]
        assert "ClusterArn" in json.dumps(pattern["detail"])
    errors = patterns["SageMaker HyperPod Cluster Event"]["detail"]["EventDetails"]
    assert errors["EventLevel"] == ["Error"]
    state = patterns["SageMaker HyperPod Cluster State Change"]["detail"]
    assert state["ClusterStatus"] == ["Failed", "RollingBack"]
    assert {each["Targets"][0]["Arn"] for each in rules} == {"arn:aws:sns:::topic"}


def test_every_field_of_a_message_is_filled(synthesise: Synthesise) -> None:
    """A template names no field that no path fills, and no path goes unused."""
    for rule in _of(synthesise(_events), "AWS::Events::Rule"):
        transformer = rule["Targets"][0]["InputTransformer"]
        text = transformer["InputTemplate"]
        named = {part.partition(">")[0] for part in text.split("<")[1:]}
        assert named == set(transformer["InputPathsMap"])


def test_what_agents_write_raises_an_alarm(synthesise: Synthesise) -> None:
    """The filter reads the cluster's own log group, and the alarm its metric."""
    template = synthesise(_events)
    (filter_,) = _of(template, "AWS::Logs::MetricFilter")
    assert "/aws/sagemaker/Clusters/bedplate-proof/" in json.dumps(filter_["LogGroupName"])
    (transformation,) = filter_["MetricTransformations"]
    (alarm,) = _of(template, "AWS::CloudWatch::Alarm")
    assert alarm["MetricName"] == transformation["MetricName"]
    assert alarm["Namespace"] == transformation["MetricNamespace"]
    assert alarm["AlarmActions"] == ["arn:aws:sns:::topic"]
