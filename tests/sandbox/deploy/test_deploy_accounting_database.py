"""The example of the database of slurmdbd, deployed by the real CDK into a VPC that is there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from tests.sandbox.deploy.conftest import REPOSITORY
from tests.sandbox.hand_made_vpc import HandMadeVpc, make_vpc
from tests.sandbox.stand_in import outputs

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
EXAMPLE = REPOSITORY / "examples" / "constructs" / "slurm-accounting" / "app.py"
ACCOUNT, REGION, STACK = "123456789012", "us-west-2", "research-accounting"


@dataclass(frozen=True)
class Account:
    """A sandbox with a VPC in it, and the CDK pointed there."""

    endpoint: str
    vpc: HandMadeVpc
    cdk: Cdk

    def client(self, service: str) -> Any:
        """A boto3 client of the sandbox."""
        return _client(self.endpoint, service)

    def outputs(self) -> dict[str, str]:
        """What the example's stack tells."""
        (stack,) = self.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
        return outputs(stack)


def _client(endpoint: str, service: str) -> Any:
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )


@pytest.fixture
def account(tmp_path: Path) -> Iterator[Account]:
    """The example's account, bootstrapped, with the example synthesised for a VPC that is in it."""
    record = start_sandbox(state_dir=tmp_path / "state", account=ACCOUNT, region=REGION, owned=True)
    try:
        vpc = make_vpc(_client(record.endpoint, "ec2"))
        _synthesise(tmp_path, vpc)
        cdk = Cdk(project=REPOSITORY, environment=client_environment(record), output=tmp_path / "out")
        cdk.bootstrap(account=ACCOUNT, region=REGION)
        yield Account(record.endpoint, vpc, cdk)
    finally:
        stop_sandbox(record)


def _synthesise(folder: Path, vpc: HandMadeVpc) -> None:
    """Run the example as its reader does, for the sandbox's account and the VPC that is there."""
    text = EXAMPLE.read_text(encoding="utf-8")
    ids = {
        "111122223333": ACCOUNT,
        "vpc-0123456789abcdef0": vpc.id,
        "subnet-0123456789abcdef1": vpc.control_subnets[0],
        "subnet-0123456789abcdef2": vpc.control_subnets[1],
        "sg-0123456789abcdef0": vpc.fabric_group,
    }
    for given, real in ids.items():
        assert given in text
        text = text.replace(given, real)
    (folder / "app.py").write_text(text, encoding="utf-8")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_NODE"))}
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(REPOSITORY), "CDK_OUTDIR": str(folder / "out")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_example_becomes_a_database_that_stays(account: Account) -> None:
    """What the outputs say is what the cluster needs; after the stack is gone, all of it is still there."""
    account.cdk.deploy()
    told, rds = account.outputs(), account.client("rds")
    (cluster,) = rds.describe_db_clusters()["DBClusters"]
    assert told["Uri"] == f"{cluster['Endpoint']}:3306"
    assert told["UserName"] == cluster["MasterUsername"]
    assert re.fullmatch(r"research-[0-9a-f]{8}", cluster["DBClusterIdentifier"])
    secret = account.client("secretsmanager").get_secret_value(SecretId=told["PasswordSecretArn"])
    assert re.fullmatch(r"[A-Za-z0-9]{32}", secret["SecretString"])
    instances = rds.describe_db_instances()["DBInstances"]
    assert len({each["AvailabilityZone"] for each in instances}) == len(instances) == 2
    _only_slurmdbd_comes_in(account, cluster)
    assert account.cdk.diff() is False
    account.cdk.destroy()
    (left,) = rds.describe_db_clusters()["DBClusters"]
    assert left["DBClusterIdentifier"] == cluster["DBClusterIdentifier"]
    assert len(left["DBClusterMembers"]) == 2
    again = account.client("secretsmanager").get_secret_value(SecretId=told["PasswordSecretArn"])
    assert again["SecretString"] == secret["SecretString"]


def test_a_second_deploy_beside_what_stayed_makes_another(account: Account) -> None:
    """The name of a database that stayed is not in the way of the next one."""
    account.cdk.deploy()
    account.cdk.destroy()
    # EC2 has one rule of a kind in a group: the clients' way to the old database is by the old group's id.
    account.cdk.deploy()
    names = {
        each["DBClusterIdentifier"] for each in account.client("rds").describe_db_clusters()["DBClusters"]
    }
    assert len(names) == 2


def _only_slurmdbd_comes_in(account: Account, cluster: Any) -> None:
    (group,) = cluster["VpcSecurityGroups"]
    ec2 = account.client("ec2")
    (told,) = ec2.describe_security_groups(GroupIds=[group["VpcSecurityGroupId"]])["SecurityGroups"]
    (rule,) = told["IpPermissions"]
    assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 3306, 3306)
    assert [pair["GroupId"] for pair in rule["UserIdGroupPairs"]] == [account.vpc.fabric_group]
    assert rule["IpRanges"] == []
