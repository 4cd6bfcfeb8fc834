"""Preflight's questions about storage, asked of the stand-in through boto3."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.spec.file_systems import (
    Association,
    Efs,
    ExistingEfs,
    ExistingLustre,
    ExistingOpenZfs,
    Lustre,
    LustreTiering,
    OpenZfs,
)
from bedplate.spec.loader import load_environment
from bedplate.spec.network import ExistingVpc
from bedplate.spec.storage import Storage
from tests.sandbox.stand_in import REGION, StandIn

DEMO = Path(__file__).parents[3] / "environments" / "demo.yaml"
ALL = [{"IpProtocol": "-1"}]


@dataclass(frozen=True)
class Place:
    """A network that was there before, with the nodes' group and the servers'."""

    vpc: str
    gpu_subnet: str
    control_subnet: str
    nodes: str
    servers: str


@pytest.fixture
def place(stand_in: StandIn) -> Place:
    """A VPC with a subnet in each of two zones, and two groups that let each other through by id."""
    ec2 = stand_in.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{number}.0/24", AvailabilityZoneId=zone)["Subnet"][
            "SubnetId"
        ]
        for number, zone in enumerate(("usw2-az2", "usw2-az1"))
    ]
    nodes, servers = (
        ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)["GroupId"]
        for name in ("nodes", "servers")
    )
    for group in (nodes, servers):
        rules = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": each} for each in (nodes, servers)]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=rules)
    return Place(vpc, subnets[0], subnets[1], nodes, servers)


Asked = Callable[..., dict[str, list[Verdict]]]


@pytest.fixture
def ask(stand_in: StandIn, place: Place, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Ask the checks of storage about these file systems; verdicts by check."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")

    def run(*file_systems: Any) -> dict[str, list[Verdict]]:
        from bedplate.validation.aws import AwsClients
        from bedplate.validation.preflight import CHECKS
        from bedplate.validation.preflight.context import Preflight

        demo = load_environment(DEMO)
        vpc = ExistingVpc(
            id=place.vpc,
            gpu_subnet=place.gpu_subnet,
            control_subnets=(place.control_subnet, place.gpu_subnet),
            fabric_group=place.nodes,
        )
        environment = demo.model_copy(
            update={
                "network": demo.network.model_copy(update={"vpc": vpc, "cidr": None}),
                "storage": Storage(file_systems=file_systems),
            }
        )
        preflight = Preflight(environment, AwsClients(region=REGION))
        numbers = ("005", "013", *(f"0{number}" for number in range(20, 27)))
        wanted = {f"PRE-{number}" for number in numbers}
        return {
            module.ROW.id: module.check(preflight)
            for module in CHECKS
            if module.ROW.id in wanted and module.applies(environment)
        }

    return run


def _lustre(stand_in: StandIn, place: Place, *, subnet: str = "") -> dict[str, Any]:
    lustre = {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 1000,
        "EfaEnabled": True,
        "MetadataConfiguration": {"Mode": "AUTOMATIC"},
    }
    made: dict[str, Any] = stand_in.client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        SubnetIds=[subnet or place.gpu_subnet],
        SecurityGroupIds=[place.servers],
        LustreConfiguration=lustre,
    )["FileSystem"]
    return made


def _efs(stand_in: StandIn, place: Place, *, subnet: str) -> str:
    efs = stand_in.client("efs")
    file_system_id: str = efs.create_file_system(CreationToken=subnet)["FileSystemId"]
    efs.create_mount_target(FileSystemId=file_system_id, SubnetId=subnet, SecurityGroups=[place.servers])
    return file_system_id


def test_existing_file_systems_in_which_all_is_well_pass(stand_in: StandIn, place: Place, ask: Asked) -> None:
    """One of each kind, made by AWS's own operations, is found and let through."""
    lustre = _lustre(stand_in, place)
    zfs = stand_in.client("fsx").create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        SubnetIds=[place.gpu_subnet],
        SecurityGroupIds=[place.servers],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160},
    )["FileSystem"]
    verdicts = ask(
        ExistingLustre(
            kind="existing-lustre",
            mount="/fsx",
            id=lustre["FileSystemId"],
            mount_name=lustre["LustreConfiguration"]["MountName"],
            efa=True,
        ),
        ExistingOpenZfs(kind="existing-openzfs", mount="/code", id=zfs["FileSystemId"]),
        ExistingEfs(kind="existing-efs", mount="/home", id=_efs(stand_in, place, subnet=place.gpu_subnet)),
    )
    assert sorted(verdicts) == ["PRE-005", "PRE-020", "PRE-021"]
    for check_id in ("PRE-020", "PRE-021"):
        assert [one.outcome for one in verdicts[check_id]] == [Outcome.PASS] * 3, verdicts[check_id]


def test_existing_file_systems_elsewhere_fail(stand_in: StandIn, place: Place, ask: Asked) -> None:
    """In another zone EFA and EFS are out of reach, and an id of nobody's is told."""
    lustre = _lustre(stand_in, place, subnet=place.control_subnet)
    verdicts = ask(
        ExistingLustre(
            kind="existing-lustre",
            mount="/fsx",
            id=lustre["FileSystemId"],
            mount_name=lustre["LustreConfiguration"]["MountName"],
            efa=True,
        ),
        ExistingEfs(
            kind="existing-efs", mount="/home", id=_efs(stand_in, place, subnet=place.control_subnet)
        ),
        ExistingOpenZfs(kind="existing-openzfs", mount="/code", id="fs-0123456789abcdef0"),
    )["PRE-020"]
    words = ("EFA does not reach it", "no mount target in usw2-az2", "there is no such file system")
    for verdict, told in zip(verdicts, words, strict=True):
        assert verdict.outcome is Outcome.FAIL
        assert told in verdict.summary


@pytest.mark.parametrize(("action", "outcome"), [("s3:*", Outcome.PASS), ("s3:Get*", Outcome.FAIL)])
def test_rights_of_the_deploying_role_are_simulated(
    stand_in: StandIn, ask: Asked, action: str, outcome: Outcome
) -> None:
    """The role that CloudFormation works by is asked for, whoever calls; reading alone is not enough."""
    iam, name = stand_in.client("iam"), "cdk-hnb659fds-cfn-exec-role-123456789012-us-west-2"
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    known = {role["RoleName"] for role in iam.list_roles()["Roles"]}
    if name not in known:
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
    statement = {"Effect": "Allow", "Action": [action, "s3:List*", "iam:*"], "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_role_policy(RoleName=name, PolicyName="s3", PolicyDocument=document)
    bucket = f"acme-tied-{outcome.value}"
    stand_in.client("s3").create_bucket(
        Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
    )
    associations = (Association(path="/datasets", bucket=bucket, prefix="v3/"),)
    lustre = Lustre(kind="lustre", mount="/fsx", capacity_gib=38400, associations=associations)
    (verdict,) = ask(lustre)["PRE-022"]
    assert verdict.outcome is outcome
    assert name in verdict.summary


@pytest.mark.parametrize(("enabled", "outcome"), [(True, Outcome.PASS), (False, Outcome.FAIL)])
def test_a_key_is_looked_at(stand_in: StandIn, ask: Asked, enabled: bool, outcome: Outcome) -> None:
    """KMS tells whether the key that a file system names is enabled."""
    kms = stand_in.client("kms")
    key = kms.create_key()["KeyMetadata"]
    if not enabled:
        kms.disable_key(KeyId=key["KeyId"])
    verdicts = ask(OpenZfs(kind="openzfs", mount="/home", capacity_gib=1024, kms_key=key["Arn"]))["PRE-026"]
    assert [one.outcome for one in verdicts] == [outcome]


def test_new_file_systems_of_every_kind_are_within_the_quotas(ask: Asked) -> None:
    """Every quota that Bedplate asks for is one that an account lists."""
    verdicts = ask(
        Lustre(kind="lustre", mount="/fsx", capacity_gib=38400),
        LustreTiering(kind="lustre-tiering", mount="/archive", throughput_mbps=4000, read_cache_gib=32),
        OpenZfs(kind="openzfs", mount="/home", capacity_gib=1024),
        Efs(kind="efs", mount="/apps"),
    )
    assert sorted(verdicts) == ["PRE-005", "PRE-013", "PRE-023", "PRE-024", "PRE-025"]
    assert {one.outcome for each in verdicts.values() for one in each} == {Outcome.PASS}
