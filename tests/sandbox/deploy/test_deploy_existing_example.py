"""The example `existing` beside a VPC, a reservation and file systems that were there before."""

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
from bedplate.validation.judgement import judge
from bedplate.validation.result import RunResult
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment
from tests.sandbox.hand_made_vpc import HandMadeVpc, make_vpc, make_way_out

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
EXAMPLE = REPOSITORY / "environments" / "existing.yaml"
RESERVATION = {
    "InstanceType": "p5en.48xlarge",
    "AvailabilityZoneId": "usw2-az2",
    "State": "active",
    "TotalInstanceCount": 8,
    "AvailableInstanceCount": 8,
    "InstanceMatchCriteria": "targeted",
}


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    """A sandbox of an account with the example's reservation, and this process's AWS settings for it."""
    environment, state = load_environment(EXAMPLE), tmp_path / "state"
    record = start_sandbox(
        state_dir=state, account=environment.account, region=environment.region, owned=True
    )
    options = {"capacity_reservations": {"cr-0123456789abcdef0": RESERVATION}}
    (state / "options.json").write_text(json.dumps(options))
    for name, value in client_environment(record).items():
        monkeypatch.setenv(name, value)
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


def _file_systems(sandbox: Deployment, vpc: HandMadeVpc) -> dict[str, str]:
    """Make the three file systems, each with a group of its own; id in the example → real id."""
    ec2, fsx, efs = (sandbox.client(name) for name in ("ec2", "fsx", "efs"))
    groups = [
        ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc.id)["GroupId"]
        for name in ("lustre", "openzfs", "efs")
    ]
    for group in groups:  # FSx demands that the servers of one file system reach each other
        itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    lustre = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=38400,
        SubnetIds=[vpc.gpu_subnet],
        SecurityGroupIds=[groups[0]],
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 250,
            "EfaEnabled": True,
            "MetadataConfiguration": {"Mode": "AUTOMATIC"},
        },
    )["FileSystem"]
    zfs = fsx.create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=1024,
        SubnetIds=[vpc.gpu_subnet],
        SecurityGroupIds=[groups[1]],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160},
    )["FileSystem"]
    fsx.create_volume(
        VolumeType="OPENZFS",
        Name="models",
        OpenZFSConfiguration={"ParentVolumeId": zfs["OpenZFSConfiguration"]["RootVolumeId"]},
    )
    home = efs.create_file_system(CreationToken="home")["FileSystemId"]
    efs.create_mount_target(FileSystemId=home, SubnetId=vpc.gpu_subnet, SecurityGroups=[groups[2]])
    return {
        "fs-0123456789abcdef0": lustre["FileSystemId"],
        "abcdef1v": lustre["LustreConfiguration"]["MountName"],
        "fs-0123456789abcdef1": zfs["FileSystemId"],
        "fs-0123456789abcdef2": home,
        **{f"sg-0123456789abcdef{number}": group for number, group in enumerate(groups)},
    }


def _copy(folder: Path, ids: dict[str, str]) -> Path:
    """The example as it is, with ids of what is really there."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for given, real in ids.items():
        assert given in text
        text = text.replace(given, real)
    file = folder / "existing.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def _preflight(file: Path) -> RunResult:
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.preflight.context import Preflight
    from bedplate.validation.preflight.run import run_preflight

    environment = load_environment(file)
    return run_preflight(Preflight(environment, AwsClients(region=environment.region)))


def _told(result: RunResult) -> list[str]:
    return [f"{each.check_id} {each.outcome.value}: {each.summary}" for each in result.verdicts]


def _admitted(ec2: Any, group: str) -> set[str]:
    """The groups that a group lets in."""
    (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
    return {pair["GroupId"] for rule in found["IpPermissions"] for pair in rule["UserIdGroupPairs"]}


def test_the_example_beside_what_is_there(sandbox: Deployment, tmp_path: Path) -> None:
    """Preflight passes in full before the deploy and after it; nothing that was there is made or deleted."""
    ec2, fsx = sandbox.client("ec2"), sandbox.client("fsx")
    vpc = make_vpc(ec2)
    make_way_out(ec2, vpc)
    ids = {
        "vpc-0123456789abcdef0": vpc.id,
        "subnet-0123456789abcdef0": vpc.gpu_subnet,
        "subnet-0123456789abcdef1": vpc.control_subnets[0],
        "subnet-0123456789abcdef2": vpc.control_subnets[1],
        **_file_systems(sandbox, vpc),
    }
    file = _copy(tmp_path, ids)
    sandbox.cdk.synth({"env": str(file)})
    sandbox.cdk.bootstrap(account=sandbox.environment.account, region=sandbox.environment.region)
    before = _preflight(file)
    assert judge(result=before).passed, _told(before)
    asked = {each.check_id for each in before.verdicts}
    assert asked >= {"PRE-010", "PRE-011", "PRE-015", "PRE-016", "PRE-020", "PRE-021", "PRE-029", "PRE-034"}
    vpcs, there = ec2.describe_vpcs()["Vpcs"], fsx.describe_file_systems()["FileSystems"]
    groups = [ids[f"sg-0123456789abcdef{number}"] for number in range(3)]
    assert [_admitted(ec2, group) for group in groups] == [{group} for group in groups]
    sandbox.cdk.deploy()
    assert sandbox.cdk.diff() is False
    assert [row["VpcId"] for row in ec2.describe_vpcs()["Vpcs"]] == [row["VpcId"] for row in vpcs]
    after = fsx.describe_file_systems()["FileSystems"]
    assert [row["FileSystemId"] for row in after] == [row["FileSystemId"] for row in there]
    (nodes,) = {frozenset(_admitted(ec2, group) - {group}) for group in groups}
    assert len(nodes) == 1, "each file system's group admits the nodes' group"
    again = _preflight(file)
    assert judge(result=again).passed, _told(again)
