"""Nodes from every capacity source, locked and deployed by the real command lines in one sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bedplate.capacity import launch_plan
from bedplate.hardware import instance_type
from bedplate.node.bootstrap.step import FAILED
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from bedplate.spec import load_environment
from bedplate.spec.capacity_sources import SOURCE_NAMES
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SOURCES = REPOSITORY / "tests" / "stacks" / "environments" / "sources.yaml"
ELSEWHERE = {
    "ultraserver-block": "the example `ultraserver`, since UltraServers are sold in another Region",
    "training-plan": "nowhere: SageMaker gives the instances, and PCS cannot take them (CAP-004)",
}
"""Sources that no pool of the file has, and where they are deployed."""
OHIO = (
    ("us-west-2", "us-east-2"),
    ("usw2", "use2"),
    ("p6-b300.48xlarge", "p6-b200.48xlarge"),
)
"""The file in the Region that offers all but one of its types in one zone (EC2, instance type offerings)."""
NOW = datetime.now(UTC).replace(microsecond=0)
GROUP = "arn:aws:resource-groups:us-east-2:123456789012:group/h100"
IN_GROUP = "cr-0123456789abcdef5"


def _reservation(type_name: str, **more: Any) -> dict[str, Any]:
    return {
        "InstanceType": type_name,
        "AvailabilityZoneId": "use2-az2",
        "State": "active",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        "ReservationType": "default",
        "InstanceMatchCriteria": "targeted",
        **more,
    }


BOOT_LIMIT_S = 240

OPTIONS = {
    "capacity_reservations": {
        "cr-0123456789abcdef1": _reservation("p5e.48xlarge"),
        "cr-0123456789abcdef2": _reservation(
            "p6-b200.48xlarge",
            ReservationType="capacity-block",
            CapacityBlockId="cb-0123456789abcdef0",
            StartDate=(NOW - timedelta(days=1)).isoformat(),
            EndDate=(NOW + timedelta(days=7)).isoformat(),
        ),
        "cr-0123456789abcdef4": _reservation("p5e.48xlarge", Interruptible=True),
        IN_GROUP: _reservation(
            "p5.48xlarge",
            PlacementGroupArn="arn:aws:ec2:us-east-2:123456789012:placement-group/research 1",
        ),
    },
    "resource_groups": {
        GROUP: {
            "configuration": [{"Type": "AWS::EC2::CapacityReservationPool"}],
            "resources": [f"arn:aws:ec2:us-east-2:123456789012:capacity-reservation/{IN_GROUP}"],
        }
    },
}
"""What the file takes as there: reservations of each kind, one of them in a placement group and a group."""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Deployment]:
    """A sandbox with the reservations, and a project folder with the file."""
    text = SOURCES.read_text(encoding="utf-8")
    for here, there in OHIO:
        text = text.replace(here, there)
    file = tmp_path / "environments" / SOURCES.name
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    environment = load_environment(file)
    state = tmp_path / "state"
    record = start_sandbox(
        state_dir=state, account=environment.account, region=environment.region, owned=True
    )
    (state / "options.json").write_text(json.dumps(OPTIONS))
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


def test_every_source_is_deployed_somewhere() -> None:
    """Each capacity source has a pool in the file, or is known to be elsewhere."""
    here = {pool.capacity.source for pool in load_environment(SOURCES).pools}
    assert here | set(ELSEWHERE) == set(SOURCE_NAMES)
    assert not here & set(ELSEWHERE)


def test_nodes_come_from_every_source(sandbox: Deployment, tmp_path: Path) -> None:
    """Locked, deployed, no difference; each pool has its nodes, bought as its launch plan says."""
    file = tmp_path / "environments" / "sources.yaml"
    locked = _bedplate(sandbox, "lock", "-e", str(file))
    assert locked.returncode == 0, locked.stdout + locked.stderr
    sandbox.cdk.synth({"env": str(file)})
    sandbox.cdk.bootstrap(account=sandbox.environment.account, region=sandbox.environment.region)
    sandbox.cdk.deploy()
    assert sandbox.cdk.diff() is False
    for pool in sandbox.environment.pools:
        plan = launch_plan(
            pool=pool,
            instance_type=instance_type(pool.instance_type),
            zone_id=sandbox.environment.network.zone,
        )
        group = _node_group(sandbox, pool.name)
        assert group["purchaseOption"] == plan.purchase_option, pool.name
        # That of a pool on a block too: its function has raised it, since the block is delivered.
        assert group["scalingConfiguration"]["minInstanceCount"] == pool.min_nodes, pool.name
    running = _running(sandbox)
    assert Counter(running.values()) == {
        pool.name: pool.min_nodes for pool in sandbox.environment.pools if pool.min_nodes
    }
    assert _failed_steps(sandbox, instances=set(running)) == {}


def test_a_deploy_without_the_block_is_refused_before_aws_is_asked(
    sandbox: Deployment, tmp_path: Path
) -> None:
    """A block that the account does not have cannot be locked, and without a lock nothing is made."""
    options = json.loads(json.dumps(OPTIONS))
    del options["capacity_reservations"]["cr-0123456789abcdef2"]
    (sandbox.state_dir / "options.json").write_text(json.dumps(options))
    file = tmp_path / "environments" / "sources.yaml"
    locked = _bedplate(sandbox, "lock", "-e", str(file))
    assert locked.returncode != 0
    assert "cr-0123456789abcdef2" in locked.stderr
    with pytest.raises(Exception, match="LCK-"):
        sandbox.cdk.synth({"env": str(file)})


def _bedplate(sandbox: Deployment, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("bedplate")), *arguments],
        env={**os.environ, **client_environment(sandbox.record)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _node_group(sandbox: Deployment, name: str) -> dict[str, Any]:
    found: dict[str, Any] = sandbox.client("pcs").get_compute_node_group(
        clusterIdentifier=f"bedplate-{sandbox.environment.name}", computeNodeGroupIdentifier=name
    )["computeNodeGroup"]
    return found


def _running(sandbox: Deployment) -> dict[str, str]:
    """Instance id → pool of each running instance, login nodes left out."""
    filters = [{"Name": "instance-state-name", "Values": ["running"]}]
    reservations = sandbox.client("ec2").describe_instances(Filters=filters)["Reservations"]
    pools = {
        instance["InstanceId"]: tag["Value"]
        for reservation in reservations
        for instance in reservation["Instances"]
        for tag in instance.get("Tags", [])
        if tag["Key"] == "bedplate:pool"
    }
    return {instance: pool for instance, pool in pools.items() if pool != "login"}


def _failed_steps(sandbox: Deployment, *, instances: set[str]) -> dict[str, list[str]]:
    """Instance id → steps of its boot that did not end well, once each instance has reported its boot."""
    s3 = sandbox.client("s3")
    location = sandbox.client("ssm").get_parameter(Name=f"/bedplate/{sandbox.environment.name}/manifest")
    bucket = location["Parameter"]["Value"].removeprefix("s3://").partition("/")[0]
    reports: dict[str, str] = {}
    deadline = time.monotonic() + BOOT_LIMIT_S
    while set(reports) < instances and time.monotonic() < deadline:
        time.sleep(1)
        keys = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket, Prefix="bootstrap/")["Contents"]]
        reports = {key.split("/")[1]: key for key in keys if key.split("/")[1] in instances}
    assert set(reports) == instances
    failed = {}
    for instance, key in reports.items():
        record = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())["record"]
        steps = [each["name"] for each in record["steps"] if each["outcome"] == FAILED]
        if steps:
            failed[instance] = steps
    return failed
