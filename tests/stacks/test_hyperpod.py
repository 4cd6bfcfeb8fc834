"""What a file with ``kind: slurm-hyperpod`` becomes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.sandbox.cloudformation.unknown import without_intrinsics
from tests.stacks.conftest import synthesise
from tests.support.aws_shape import violations

ROOT = Path(__file__).parents[2]


@pytest.fixture
def given(assembly_of: Callable[[Path], Any]) -> Any:
    """The example."""
    return assembly_of(ROOT / "environments" / "hyperpod.yaml")


def _cluster(given: Any) -> dict[str, Any]:
    (cluster,) = given.resources("orchestration", "AWS::SageMaker::Cluster").values()
    found: dict[str, Any] = cluster["Properties"]
    return found


def _groups(given: Any) -> dict[str, dict[str, Any]]:
    return {each["InstanceGroupName"]: each for each in _cluster(given)["InstanceGroups"]}


def _documents(given: Any, *, stack: str) -> dict[str, dict[str, Any]]:
    """Policy → its statements by Sid."""
    policies = given.resources(stack, "AWS::IAM::ManagedPolicy")
    return {
        key: {each["Sid"]: each for each in policy["Properties"]["PolicyDocument"]["Statement"]}
        for key, policy in policies.items()
    }


def test_sagemaker_takes_the_cluster(given: Any) -> None:
    """Its own model, but for the ids that CloudFormation fills in."""
    wrong = violations("sagemaker", "CreateCluster", without_intrinsics(_cluster(given)))
    assert wrong
    assert [each for each in wrong if not each.endswith("(known after deploy) is no string")] == []
    kinds = {name: each["SlurmConfig"]["NodeType"] for name, each in _groups(given).items()}
    assert kinds == {"controller": "Controller", "login": "Login", "h200": "Compute", "plan": "Compute"}
    assert _groups(given)["plan"]["TrainingPlanArn"].endswith("training-plan/frontier")


def test_jobs_are_recorded_in_a_database_that_stays(given: Any) -> None:
    """It is in the stack of what must not be lost; its secret holds user and password, as HyperPod asks."""
    (database,) = given.resources("storage", "AWS::RDS::DBCluster").values()
    assert database["DeletionPolicy"].startswith("Retain")
    (secret,) = given.resources("storage", "AWS::SecretsManager::Secret").values()
    assert json.loads(secret["Properties"]["GenerateSecretString"]["SecretStringTemplate"]) == {
        "username": "slurm"
    }
    assert set(_cluster(given)["Orchestrator"]["Slurm"]["AccountingDatabase"]) == {
        *("Endpoint", "Port", "SecretArn")
    }


def test_the_controller_alone_is_asked_through_the_bucket(given: Any) -> None:
    """Its settings give it a desk, and its role alone may take orders and read the database's secret."""
    (folder,) = given.resources("orchestration", "Custom::BedplateHyperPodScripts").values()
    files = folder["Properties"]["Files"]
    desks = [name for name, text in files.items() if '"desk":true' in json.dumps(text).replace("\\", "")]
    assert desks == ["settings-controller.json"]
    documents = _documents(given, stack="orchestration")
    takers = [key for key, sids in documents.items() if "AnswerQuestions" in sids]
    assert [key for key, sids in documents.items() if "ReadAccountingSecret" in sids] == takers
    assert len(takers) == 1
    assert takers[0].startswith("ControllerRole")
    taken = json.dumps(documents[takers[0]]["AnswerQuestions"]["Resource"])
    assert taken.endswith('/desk/*"]]}')


def test_nodes_follow_the_lists_by_themselves(given: Any) -> None:
    """Every node looks at the users, the controller at the teams; State Manager is told nothing."""
    (folder,) = given.resources("orchestration", "Custom::BedplateHyperPodScripts").values()
    texts = {
        name: json.dumps(text).replace("\\", "")
        for name, text in folder["Properties"]["Files"].items()
        if name.startswith("settings-")
    }
    assert len(texts) == 4
    assert all('"list_minutes":10' in text and '"users_key":"users/' in text for text in texts.values())
    keeping = [name for name, text in texts.items() if '"accounts_key":"teams/' in text]
    assert keeping == ["settings-controller.json"]
    (teams,) = given.resources("storage", "Custom::BedplateTeams").values()
    assert json.loads(teams["Properties"]["Manifest"])["teams"][0]["name"] == "pretraining"
    assert not given.resources("validation", "AWS::SSM::Association")


def test_whoever_validates_lists_nodes_and_sends_no_command(given: Any) -> None:
    """Of this cluster alone; a replacement is HyperPod's to make."""
    sids = {
        sid: each for found in _documents(given, stack="validation").values() for sid, each in found.items()
    }
    assert sids["ListNodes"]["Action"] == ["sagemaker:ListClusterNodes", "sagemaker:DescribeClusterNode"]
    assert sids["ReplaceNodes"]["Action"] == ["sagemaker:BatchReplaceClusterNodes"]
    assert sids["ListNodes"]["Resource"] == sids["ReplaceNodes"]["Resource"] != "*"
    assert not [
        action
        for each in sids.values()
        for action in each["Action"]
        if action.startswith(("ssm:Send", "ec2:Terminate"))
    ]


def test_people_hear_of_unwell_nodes(given: Any) -> None:
    """Three rules and an alarm go to the topic, whose policy lets both publish."""
    rules = given.resources("orchestration", "AWS::Events::Rule").values()
    told = {each["Properties"]["EventPattern"]["detail-type"][0] for each in rules}
    assert {"SageMaker HyperPod Cluster Node Health Event", "SageMaker HyperPod Cluster Event"} <= told
    policies = given.resources("observability", "AWS::SNS::TopicPolicy")
    (policy,) = [each for name, each in policies.items() if name.startswith("Alarms")]
    publishers = {each["Sid"] for each in policy["Properties"]["PolicyDocument"]["Statement"]}
    assert {"CloudWatch", "EventBridge"} <= publishers


def test_hyperpod_is_told_of_the_homes_and_not_of_the_fast_lustre(given: Any) -> None:
    """The bootstrap mounts Lustre by EFA; HyperPod would mount it by TCP."""
    for group in _groups(given).values():
        (config,) = group["InstanceStorageConfigs"]
        assert config["FsxOpenZfsConfig"]["MountPath"] == "/home"


def test_two_hyphens_in_the_name_are_one_in_the_databases(tmp_path: Path) -> None:
    """RDS takes no two in a row; the environment and its cluster keep their name."""
    file = tmp_path / "environment.yaml"
    text = (ROOT / "environments/hyperpod.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("name: hyperpod\n", "name: a--b\n", 1), encoding="utf-8")
    made = synthesise(file, folder=tmp_path / "out")
    (database,) = made.resources("storage", "AWS::RDS::DBCluster").values()
    assert "bedplate-a-b-" in json.dumps(database["Properties"]["DBClusterIdentifier"])
    assert _cluster(made)["ClusterName"] == "bedplate-a--b"


def test_the_clusters_log_group_is_named_after_its_id(given: Any) -> None:
    """The agents' findings are read from the group of this cluster's id, which its own stack cuts out of its
    ARN; other stacks have it by an output.
    """
    told_id = given.templates["orchestration"]["Outputs"]["ClusterId"]["Value"]
    assert "Fn::Split" in json.dumps(told_id)
    (metric,) = given.resources("orchestration", "AWS::Logs::MetricFilter").values()
    told = metric["Properties"]["LogGroupName"]["Fn::Join"][1]
    assert told == ["/aws/sagemaker/Clusters/bedplate-hyperpod/", told_id]
    others = [given.templates[role] for role in ("validation", "observability")]
    assert "Fn::Split" not in json.dumps(others)
