"""A closed cluster in a VPC and a security group that are there already, through the real CDK."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from bedplate.spec import load_environment
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment
from tests.sandbox.hand_made_vpc import HandMadeVpc, make_vpc

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CLOSED = REPOSITORY / "tests" / "stacks" / "environments" / "closed-vpc.yaml"
CHECKS = {"PRE-011", "PRE-014", "PRE-015", "PRE-016", "PRE-017", "PRE-019"}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Deployment]:
    """A sandbox of an account that was not used for this before."""
    environment = load_environment(CLOSED)
    record = start_sandbox(
        state_dir=tmp_path / "state", account=environment.account, region=environment.region, owned=True
    )
    lines: list[str] = []
    cdk = Cdk(
        project=REPOSITORY,
        environment=client_environment(record),
        output=tmp_path / "out",
        on_line=lines.append,
    )
    try:
        yield Deployment(environment, record, tmp_path / "state", cdk, lines)
    finally:
        stop_sandbox(record)


def _file(folder: Path, vpc: HandMadeVpc) -> Path:
    """The test's closed environment, with the ids of a VPC that is really there."""
    text = CLOSED.read_text(encoding="utf-8")
    ids = {
        "[rtb-0123456789abcdef0, rtb-0123456789abcdef1]": f"[{vpc.route_table}]",
        "vpc-0123456789abcdef0": vpc.id,
        "subnet-0123456789abcdef0": vpc.gpu_subnet,
        "subnet-0123456789abcdef1": vpc.control_subnets[0],
        "subnet-0123456789abcdef2": vpc.control_subnets[1],
        "sg-0123456789abcdef0": vpc.fabric_group,
    }
    for given, real in ids.items():
        assert given in text
        text = text.replace(given, real)
    file = folder / "closed.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def _outcomes(file: Path) -> dict[str, Outcome]:
    """What preflight says of the network."""
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.preflight.context import Preflight
    from bedplate.validation.preflight.run import run_preflight

    environment = load_environment(file)
    result = run_preflight(Preflight(environment, AwsClients(region=environment.region)))
    return {each.check_id: each.outcome for each in result.verdicts if each.check_id in CHECKS}


def _services(ec2: Any, vpc: str) -> set[str]:
    rows = ec2.describe_vpc_endpoints(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["VpcEndpoints"]
    return {row["ServiceName"].removeprefix("com.amazonaws.us-west-2.") for row in rows}


def test_endpoints_are_made_in_a_vpc_that_is_there(
    sandbox: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Preflight is content before the deploy and after it; the deploy adds endpoints, and no way out."""
    for name, value in client_environment(sandbox.record).items():
        monkeypatch.setenv(name, value)
    ec2 = sandbox.client("ec2")
    vpc = make_vpc(ec2)
    file = _file(tmp_path, vpc)
    assert _outcomes(file) == dict.fromkeys(CHECKS, Outcome.PASS)
    assert _services(ec2, vpc.id) == set()
    sandbox.cdk.synth({"env": str(file)})
    sandbox.cdk.bootstrap(account=sandbox.environment.account, region=sandbox.environment.region)
    sandbox.cdk.deploy()
    assert sandbox.cdk.diff() is False
    wanted = {"s3", "pcs", "aps-workspaces", "ssm", "ssmmessages", "ec2messages", "ecr.api", "ecr.dkr"}
    assert _services(ec2, vpc.id) == wanted
    assert _outcomes(file) == dict.fromkeys(CHECKS, Outcome.PASS)
    own = [{"Name": "tag:bedplate:environment", "Values": [load_environment(file).name]}]
    made = ec2.describe_vpc_endpoints(Filters=own)["VpcEndpoints"]
    assert len(made) == len(wanted), "PRE-011 knows the environment's own endpoints by their tag"
    assert not ec2.describe_nat_gateways()["NatGateways"]
    rules = ec2.describe_security_groups(GroupIds=[vpc.fabric_group])["SecurityGroups"][0]["IpPermissions"]
    sources = {pair["GroupId"] for rule in rules for pair in rule["UserIdGroupPairs"]}
    assert vpc.fabric_group in sources
    assert not [rule for rule in rules if rule["IpRanges"]]
