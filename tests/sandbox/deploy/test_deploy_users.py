"""SIMULATED: the users of an environment file are on its nodes, and follow it; no node is replaced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from bedplate.spec import load_environment
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment
from tests.sandbox.stand_in import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
FILE = """
name: people
account: "123456789012"
region: us-west-2
network:
  zone: usw2-az2
  control_zones: [usw2-az1, usw2-az2]
  cidr: 10.40.0.0/16
pools:
  - {{name: h200, instance_type: p5en.48xlarge, nodes: 1, capacity: {{source: on-demand}}}}
storage:
  file_systems:
    - {{kind: efs, mount: /home}}
orchestrator:
  kind: slurm-pcs
  partitions:
    - {{name: train, pools: [h200], default: true}}
  users:
    - {{name: alice, uid: 2001}}
    - {{name: {second}}}
"""
BOB, CAROL = "bob, uid: 2002", "carol, uid: 2003"
NODES = 2


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An environment of one GPU node and one login node, with alice and bob."""
    path = tmp_path / "people.yaml"
    path.write_text(FILE.format(second=BOB))
    return path


@pytest.fixture
def sandbox(tmp_path: Path, file: Path) -> Iterator[Deployment]:
    """A sandbox of an account that was not used for this before."""
    environment = load_environment(file)
    state = tmp_path / "state"
    record = start_sandbox(
        state_dir=state, account=environment.account, region=environment.region, owned=True
    )
    lines: list[str] = []
    cdk = Cdk(
        project=REPOSITORY,
        environment=client_environment(record),
        output=tmp_path / "out",
        on_line=lines.append,
    )
    try:
        yield Deployment(environment, record, state, cdk, lines)
    finally:
        stop_sandbox(record)


def _deploy(sandbox: Deployment, file: Path) -> None:
    sandbox.cdk.synth({"env": str(file)})
    sandbox.cdk.deploy()


def _bucket(sandbox: Deployment) -> str:
    found = sandbox.client("ssm").get_parameter(Name="/bedplate/people/manifest")
    return str(found["Parameter"]["Value"].removeprefix("s3://").partition("/")[0])


def _boots(sandbox: Deployment) -> dict[str, str]:
    """Instance → what its boot came to with users; waits for every node's report."""
    s3, bucket = sandbox.client("s3"), _bucket(sandbox)

    def reports() -> list[dict[str, Any]]:
        rows = s3.list_objects_v2(Bucket=bucket, Prefix="bootstrap/").get("Contents", [])
        bodies = [json.loads(s3.get_object(Bucket=bucket, Key=row["Key"])["Body"].read()) for row in rows]
        return bodies if len(bodies) >= NODES else []

    return {
        body["record"]["instance_id"]: f"{step['outcome']}: {step['reason']}"
        for body in eventually(reports, limit_s=120)
        for step in body["record"]["steps"]
        if step["name"] == "make_users"
    }


def _passwd(sandbox: Deployment, instance: str) -> dict[str, str]:
    """Our users as the simulated node's own passwd has them, and their homes' modes."""
    (root,) = sandbox.state_dir.rglob(f"{instance}/root")
    rows = [line.split(":") for line in (root / "etc/passwd").read_text().splitlines()]
    return {
        row[0]: f"{row[2]} {row[6]} {oct((root / row[5].lstrip('/')).stat().st_mode)[-3:]}"
        for row in rows
        if 2000 <= int(row[2]) < 60_000
    }


def _apply(sandbox: Deployment, instances: list[str]) -> list[str]:
    """Send what the deployed association says, as State Manager would: the sandbox only remembers those."""
    (template,) = (sandbox.cdk.output).glob("*-validation.template.json")
    resources = json.loads(template.read_text())["Resources"].values()
    (association,) = [each["Properties"] for each in resources if each["Type"] == "AWS::SSM::Association"]
    ssm = sandbox.client("ssm")
    stack = sandbox.client("cloudformation").describe_stack_resources(StackName="bedplate-people-validation")
    (document,) = [
        each["PhysicalResourceId"]
        for each in stack["StackResources"]
        if each["ResourceType"] == "AWS::SSM::Document"
    ]
    command = ssm.send_command(
        InstanceIds=instances, DocumentName=document, Parameters=association["Parameters"]
    )["Command"]["CommandId"]

    def ended() -> list[dict[str, Any]]:
        found = [ssm.get_command_invocation(CommandId=command, InstanceId=each) for each in instances]
        return found if all(each["Status"] in ("Success", "Failed") for each in found) else []

    return [each["StandardOutputContent"].strip() for each in eventually(ended, limit_s=120)]


def test_users_are_on_every_node_and_follow_the_file(sandbox: Deployment, file: Path) -> None:
    """Made at the boot with their ids and homes; a new list changes no node group, no launch template and no
    instance, and the command of the association brings it to the nodes that run.
    """
    sandbox.cdk.synth({"env": str(file)})
    sandbox.cdk.bootstrap(account=sandbox.environment.account, region=sandbox.environment.region)
    sandbox.cdk.deploy()
    boots = _boots(sandbox)
    assert list(boots.values()) == ["done: 2 users, 5 changes"] * NODES
    instances = list(boots)
    for each in instances:
        assert _passwd(sandbox, each) == {"alice": "2001 /bin/bash 700", "bob": "2002 /bin/bash 700"}
    assert _apply(sandbox, instances) == ["2 users, 0 changes"] * NODES

    before = _group_versions(sandbox)
    file.write_text(FILE.format(second=CAROL))
    _deploy(sandbox, file)
    assert _group_versions(sandbox) == before
    assert _apply(sandbox, instances) == ["2 users, 3 changes"] * NODES
    for each in instances:
        assert _passwd(sandbox, each) == {
            "alice": "2001 /bin/bash 700",
            "bob": "2002 /usr/sbin/nologin 700",
            "carol": "2003 /bin/bash 700",
        }


def _group_versions(sandbox: Deployment) -> dict[str, Any]:
    """The launch templates' versions and the running instances."""
    ec2 = sandbox.client("ec2")
    templates = ec2.describe_launch_templates()["LaunchTemplates"]
    reservations = ec2.describe_instances(
        Filters=[{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    )["Reservations"]
    return {
        **{each["LaunchTemplateId"]: each["LatestVersionNumber"] for each in templates},
        "instances": sorted(each["InstanceId"] for one in reservations for each in one["Instances"]),
    }
