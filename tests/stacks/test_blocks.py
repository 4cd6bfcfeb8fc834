"""A pool on a Capacity Block, from the lock file to the templates."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bedplate.lockfile import LockedImage, lock_path
from bedplate.spec import load_environment
from tests.stacks.conftest import ROOT, synthesise
from tests.support.locks import lock_for

Case = Callable[[str], Any]
Entry = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_moments_of_a_block_are_outputs(case: Case) -> None:
    """Start, warning, the moment nodes go, and the end are outputs of the pool, and of no other pool."""
    outputs = case("sources").templates["observability"]["Outputs"]
    found = {name: each["Value"] for name, each in outputs.items() if name.startswith("Pool")}
    assert found == {
        "PoolBlockBlockStart": "2026-07-01T11:30:00Z",
        "PoolBlockBlockWarning": "2026-07-15T10:50:00Z",
        "PoolBlockBlockTaken": "2026-07-15T11:00:00Z",
        "PoolBlockBlockEnd": "2026-07-15T11:30:00Z",
    }


def test_an_ultraservers_nodes_go_an_hour_before_the_end(case: Case) -> None:
    """EC2 takes UltraServers' instances sixty minutes before the end."""
    outputs = case("ultraserver").templates["observability"]["Outputs"]
    taken = [each["Value"] for name, each in outputs.items() if name.endswith("BlockTaken")]
    assert taken == ["2026-07-15T10:30:00Z"]


def test_nothing_of_it_is_there_without_a_block(demo: Any) -> None:
    """No schedule, no rule, no further function, and no right for EventBridge."""
    for role in ("observability", "orchestration"):
        for type_ in ("Scheduler::Schedule", "Events::Rule", "Lambda::Function"):
            assert demo.resources(role, f"AWS::{type_}") == {}
    assert demo.resources("orchestration", "AWS::CloudWatch::Alarm") == {}
    assert "events.amazonaws.com" not in json.dumps(demo.templates["observability"])


def test_the_topic_lets_eventbridge_publish(case: Case) -> None:
    """Topic and key admit the service; without either, EC2's events would be lost in silence."""
    template = case("sources").templates["observability"]["Resources"].values()
    admitting = {
        each["Type"]
        for each in template
        for name in ("PolicyDocument", "KeyPolicy")
        for statement in each["Properties"].get(name, {}).get("Statement", [])
        if statement.get("Principal") == {"Service": "events.amazonaws.com"} and "Condition" not in statement
    }
    assert admitting == {"AWS::SNS::TopicPolicy", "AWS::KMS::Key"}


def test_the_node_group_starts_at_zero_and_the_scaler_knows_its_size(case: Case) -> None:
    """CloudFormation makes no nodes; the function holds the pool's size while the block lasts."""
    assembly = case("sources")
    groups = assembly.resources("orchestration", "AWS::PCS::ComputeNodeGroup").values()
    (group,) = [
        each["Properties"] for each in groups if each["Properties"]["PurchaseOption"] == "CAPACITY_BLOCK"
    ]
    assert group["ScalingConfiguration"] == {"MinInstanceCount": 0, "MaxInstanceCount": 2}
    (function,) = assembly.resources("orchestration", "AWS::Lambda::Function").values()
    wanted = json.dumps(function["Properties"]["Environment"]["Variables"]["NODE_GROUPS"])
    assert r"\"minimum\": 2" in wanted
    assert "cr-0123456789abcdef2" in wanted


def test_errors_of_the_scaler_reach_the_alarm_topic(case: Case) -> None:
    """The orchestration stack watches its function; the topic, deployed before, admits its alarms."""
    assembly = case("sources")
    (alarm,) = assembly.resources("orchestration", "AWS::CloudWatch::Alarm").values()
    (watched,) = alarm["Properties"]["Dimensions"]
    (function,) = assembly.resources("orchestration", "AWS::Lambda::Function")
    assert watched["Value"] == {"Ref": function}
    (action,) = alarm["Properties"]["AlarmActions"]
    output = action["Fn::GetStackOutput"]
    (topic,) = [name for name in assembly.resources("observability", "AWS::SNS::Topic") if "Alarms" in name]
    told = assembly.templates["observability"]["Outputs"][output["OutputName"]]["Value"]
    assert told == {"Fn::GetAtt": [topic, "TopicArn"]}
    assert "AlarmName" not in alarm["Properties"]  # so CloudFormation begins it with the stack's name
    policies = assembly.resources("observability", "AWS::SNS::TopicPolicy")
    (policy,) = [each for name, each in policies.items() if name.startswith("Alarms")]
    admitted = [
        statement["Condition"]["ArnLike"]["aws:SourceArn"]
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    ]
    name = output["StackName"].removesuffix("observability")
    start = f"arn:aws:cloudwatch:us-west-2:123456789012:alarm:{name}"
    assert admitted == [[f"{start}observability-*", f"{start}orchestration-*"]]


def test_a_pool_that_follows_the_queue_has_no_scaler(tmp_path: Path) -> None:
    """A minimum of zero is never raised, so no function has rights to launch; people are told as ever."""
    text = (ROOT / "environments/prod-slurm.yaml").read_text()
    assert "nodes: 64" in text
    file = tmp_path / "prod-slurm.yaml"
    file.write_text(text.replace("nodes: 64", "nodes: {min: 0, max: 64}"), encoding="utf-8")
    assembly = synthesise(file, folder=tmp_path / "out")
    assert assembly.resources("orchestration", "AWS::Lambda::Function") == {}
    assert assembly.resources("orchestration", "AWS::CloudWatch::Alarm") == {}
    assert len(assembly.resources("observability", "AWS::Scheduler::Schedule")) == 3


def _manifest(assembly: Any) -> dict[str, Any]:
    (written,) = assembly.resources("validation", "Custom::BedplateManifest").values()
    parts = written["Properties"]["Manifest"]["Fn::Join"][1]
    text = "".join(part if isinstance(part, str) else "token" for part in parts)
    manifest: dict[str, Any] = json.loads(text)
    return manifest


def test_the_manifest_holds_the_times(case: Case) -> None:
    """Validation reads reservation and times of the pool on the block; other pools have none."""
    pools = {pool["name"]: pool for pool in _manifest(case("sources"))["pools"]}
    block = pools["block"]
    assert block["reservation_id"] == "cr-0123456789abcdef2"
    assert block["capacity_start_time"] == "2026-07-01T11:30:00Z"
    assert block["capacity_end_time"] == "2026-07-15T11:30:00Z"
    assert block["capacity_warning_time"] < block["capacity_taken_time"] < block["capacity_end_time"]
    assert pools["bought"]["capacity_end_time"] is None


def test_locked_images_take_the_place_of_the_pins(tmp_path: Path) -> None:
    """Nodes start from the AMI in the lock file, without a reference that CloudFormation resolves."""
    file = Path(shutil.copy(ROOT / "environments/demo.yaml", tmp_path / "demo.yaml"))
    image = LockedImage(parameter="/a", version=7, image_id="ami-0123456789abcdef0")
    lock = lock_for(load_environment(file)).model_copy(update={"images": {"x86_64": image}})
    lock_path(file).write_text(lock.model_dump_json(), encoding="utf-8")
    assembly = synthesise(file, folder=tmp_path / "out")
    groups = assembly.resources("orchestration", "AWS::PCS::ComputeNodeGroup").values()
    assert {each["Properties"]["AmiId"] for each in groups} == {"ami-0123456789abcdef0"}


@pytest.mark.parametrize(("lock", "error_id"), [(None, "LCK-002"), ("{", "LCK-001")])
def test_the_synthesis_of_a_block_without_a_lock_is_refused(
    entry: Entry, tmp_path: Path, lock: str | None, error_id: str
) -> None:
    """Exit code 3, the id and the remedy on standard error, and nothing is written."""
    (tmp_path / "environments").mkdir()
    shutil.copy(ROOT / "cdk.json", tmp_path / "cdk.json")
    file = tmp_path / "environments/prod-slurm.yaml"
    shutil.copy(ROOT / "environments/prod-slurm.yaml", file)
    if lock is not None:
        lock_path(file).write_text(lock, encoding="utf-8")
    done = entry("prod-slurm", outdir=tmp_path / "out", base=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith(error_id)
    assert "bedplate lock" in done.stderr
    assert not (tmp_path / "out").exists()
