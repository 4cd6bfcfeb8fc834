"""The life of a Capacity Block in the sandbox, by the real commands: lock, deploy, delivery, extension."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment
from tests.sandbox.deploy.conftest import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BLOCK = "cr-0123456789abcdef0"
START = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
END = START + timedelta(days=7)
HANDLERS = REPOSITORY / "bedplate/constructs/handlers/capacity_blocks"
ENVIRONMENT = f"""\
name: block
account: "123456789012"
region: us-west-2
network: {{zone: usw2-az2, control_zones: [usw2-az1, usw2-az2], cidr: 10.40.0.0/16}}
pools:
  - name: h200
    instance_type: p5en.48xlarge
    nodes: 2
    capacity: {{source: capacity-block, reservation: {BLOCK}}}
orchestrator:
  kind: slurm-pcs
  slurm_version: "25.11"
  login: {{instance_type: m7i.xlarge, nodes: 1}}
  partitions: [{{name: train, pools: [h200], default: true}}]
"""


@dataclass(frozen=True)
class Project:
    """A CDK project of one environment on a block, and a sandbox of its own."""

    folder: Path
    record: SandboxRecord

    def client(self, service: str) -> Any:
        """A boto3 client of the sandbox."""
        return boto3.client(
            service,
            endpoint_url=self.record.endpoint,
            region_name=self.record.region,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )

    def block(self, *, state: str, end: datetime = END) -> None:
        """Let EC2 tell this of the block."""
        row = {
            "InstanceType": "p5en.48xlarge",
            "AvailabilityZoneId": "usw2-az2",
            "State": state,
            "TotalInstanceCount": 2,
            "ReservationType": "capacity-block",
            "CapacityBlockId": "cb-1",
            "StartDate": START.isoformat(),
            "EndDate": end.isoformat(),
        }
        options = {"capacity_reservations": {BLOCK: row}}
        (self.folder / "sandbox/options.json").write_text(json.dumps(options))

    def lock(self) -> str:
        """Run ``bedplate lock`` and return what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "bedplate.cli.main", "lock", "-e", "block"],
            cwd=self.folder,
            env={**os.environ, **client_environment(self.record), "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def deploy(self, *, output: str) -> None:
        """Synthesise with today's lock file and deploy."""
        cdk = Cdk(
            project=self.folder,
            environment={**client_environment(self.record), "PYTHONPATH": str(REPOSITORY)},
            output=self.folder / output,
        )
        cdk.synth({"env": "block"})
        if not self.client("cloudformation").describe_stacks()["Stacks"]:
            cdk.bootstrap(account=self.record.account, region=self.record.region)
        cdk.deploy()

    def wake_scaler(self) -> None:
        """Run the function that was deployed, with what it was deployed with, as EventBridge would."""
        functions = self.client("lambda").list_functions()["Functions"]
        (wanted,) = [
            each["Environment"]["Variables"]
            for each in functions
            if "NODE_GROUPS" in each.get("Environment", {}).get("Variables", {})
        ]
        code = "import scale; scale.handler({'detail-type': 'Capacity Block Reservation Delivered'}, None)"
        done = subprocess.run(
            [sys.executable, "-B", "-c", code],
            cwd=HANDLERS,
            env={**os.environ, **client_environment(self.record), **wanted},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def gpu_nodes(self) -> int:
        """How many nodes of the pool run."""
        filters = [
            {"Name": "instance-state-name", "Values": ["running"]},
            {"Name": "instance-type", "Values": ["p5en.48xlarge"]},
        ]
        found = self.client("ec2").describe_instances(Filters=filters)["Reservations"]
        return sum(len(each["Instances"]) for each in found)

    def schedules(self) -> dict[str, str]:
        """Expression → state of every schedule."""
        scheduler = self.client("scheduler")
        names = [each["Name"] for each in scheduler.list_schedules()["Schedules"]]
        rows = [scheduler.get_schedule(Name=name) for name in names]
        return {row["ScheduleExpression"]: row["State"] for row in rows}

    def end_output(self) -> str:
        """The block's end among the stack's outputs."""
        stacks = self.client("cloudformation").describe_stacks(StackName="bedplate-block-observability")
        outputs = {each["OutputKey"]: each["OutputValue"] for each in stacks["Stacks"][0]["Outputs"]}
        return str(outputs["PoolH200BlockEnd"])


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project folder with the environment, and a sandbox."""
    for name in ("app.py", "cdk.json"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(REPOSITORY / "node_modules")
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments/block.yaml").write_text(ENVIRONMENT, encoding="utf-8")
    record = start_sandbox(
        state_dir=tmp_path / "sandbox", account="123456789012", region="us-west-2", owned=True
    )
    try:
        yield Project(tmp_path, record)
    finally:
        stop_sandbox(record)


def _expressions(end: datetime) -> dict[str, str]:
    taken = end - timedelta(minutes=30)
    before = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=10))
    return {f"at({taken - each:%Y-%m-%dT%H:%M:%S})": "ENABLED" for each in before}


def test_a_block_from_lock_to_extension(project: Project) -> None:
    """No node before the delivery, all after it; an extension moves the reminders and keeps the nodes."""
    project.block(state="scheduled")
    assert "SIMULATED" in project.lock()
    project.deploy(output="first")
    assert project.gpu_nodes() == 0
    assert project.schedules() == _expressions(END)
    assert project.end_output() == f"{END:%Y-%m-%dT%H:%M:%SZ}"

    project.block(state="active")
    project.wake_scaler()
    assert project.gpu_nodes() == 2

    later = END + timedelta(days=7)
    project.block(state="active", end=later)
    assert f"{END:%Y-%m-%dT%H:%M:%SZ} → {later:%Y-%m-%dT%H:%M:%SZ}" in project.lock()
    project.deploy(output="second")
    assert project.schedules() == _expressions(later)
    assert project.end_output() == f"{later:%Y-%m-%dT%H:%M:%SZ}"
    assert project.gpu_nodes() == 2
