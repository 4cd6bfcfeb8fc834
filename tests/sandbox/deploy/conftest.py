"""Synthesised examples, and a real sandbox process for each test that deploys one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment
from bedplate.spec import Environment, load_environment
from tests.support.once import made_once

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(path.stem for path in (REPOSITORY / "environments").glob("*.yaml"))
OWN_NETWORK = [
    name
    for name in EXAMPLES
    if load_environment(REPOSITORY / "environments" / f"{name}.yaml").network.vpc is None
]
"""Examples that make all they need; `existing` names what was there before, and has a test of its own."""


@dataclass(frozen=True)
class Deployment:
    """One example, a sandbox for it, and the CDK pointed there."""

    environment: Environment
    record: SandboxRecord
    state_dir: Path
    cdk: Cdk
    lines: list[str]

    def client(self, service: str) -> Any:
        """A boto3 client of the sandbox."""
        return boto3.client(
            service,
            endpoint_url=self.record.endpoint,
            region_name=self.record.region,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )

    def prepare(self) -> None:
        """Give the account what the example takes as there: buckets of others, reservations."""
        for file_system in self.environment.storage.file_systems:
            for association in getattr(file_system, "associations", ()):
                if association.bucket != "create":
                    self.client("s3").create_bucket(
                        Bucket=association.bucket,
                        CreateBucketConfiguration={"LocationConstraint": self.record.region},
                    )
        reservations = {}
        for pool in self.environment.pools:
            reservation = getattr(pool.capacity, "reservation", None)
            if reservation is not None:
                reservations[reservation] = {
                    "InstanceType": pool.instance_type,
                    "AvailabilityZoneId": self.environment.network.zone,
                    "State": "active",
                    "TotalInstanceCount": pool.max_nodes,
                    "AvailableInstanceCount": pool.max_nodes,
                    "ReservationType": "capacity-block",
                    "EndDate": (datetime.now(UTC) + timedelta(days=7)).isoformat(),
                }
        # A runner would put its load on the nodes while they are looked at; it has a test of its own.
        options = {"capacity_reservations": reservations, "builds": "hold"}
        (self.state_dir / "options.json").write_text(json.dumps(options))


@pytest.fixture(scope="session")
def synthesised(shared_folder: Path) -> Callable[[str], Path]:
    """The cloud assembly of an example by its name, synthesised once."""

    def make(output: Path) -> None:
        Cdk(project=REPOSITORY, environment={}, output=output).synth({"env": output.name})

    return lambda name: made_once(shared_folder / "synthesised" / name, make)


@pytest.fixture
def deployment(
    request: pytest.FixtureRequest, tmp_path: Path, synthesised: Callable[[str], Path]
) -> Iterator[Deployment]:
    """A prepared sandbox for the example named by the test's parameter."""
    name: str = request.param
    environment = load_environment(REPOSITORY / "environments" / f"{name}.yaml")
    output = synthesised(name)
    record = start_sandbox(
        state_dir=tmp_path, account=environment.account, region=environment.region, owned=True
    )
    lines: list[str] = []
    cdk = Cdk(project=REPOSITORY, environment=client_environment(record), output=output, on_line=lines.append)
    made = Deployment(environment, record, tmp_path, cdk, lines)
    try:
        made.prepare()
        yield made
    finally:
        stop_sandbox(record)
