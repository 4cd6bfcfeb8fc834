"""File systems of every kind, made and found, through the real CDK command line in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.manifest import ClusterManifest
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import client_environment
from bedplate.spec import load_environment
from tests.sandbox.deploy.conftest import REPOSITORY, Deployment
from tests.sandbox.stand_in import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
EVERY_KIND = REPOSITORY / "tests" / "stacks" / "environments" / "storage.yaml"
EXISTING = """
name: found
account: "123456789012"
region: us-west-2
network:
  zone: usw2-az2
  control_zones: [usw2-az1, usw2-az2]
  vpc: {{id: {vpc}, gpu_subnet: {gpu}, control_subnets: [{one}, {two}]}}
pools:
  - {{name: h200, instance_type: p5en.48xlarge, nodes: 1, capacity: {{source: on-demand}}}}
storage:
  file_systems:
    - kind: existing-lustre
      mount: /fsx
      id: {lustre}
      mount_name: {name}
      efa: true
      security_group: {group}
    - {{kind: existing-openzfs, mount: /code, id: {zfs}, security_group: {group}}}
    - {{kind: existing-efs, mount: /home, id: {efs}, security_group: {group}}}
orchestrator:
  kind: slurm-pcs
  partitions:
    - {{name: train, pools: [h200], default: true}}
"""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Deployment]:
    """A sandbox of an account that was not used for this before; the environment is of every kind."""
    environment = load_environment(EVERY_KIND)
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
    sandbox.cdk.bootstrap(account=sandbox.environment.account, region=sandbox.environment.region)
    sandbox.cdk.deploy()
    assert sandbox.cdk.diff() is False


def _manifest(sandbox: Deployment, environment: str) -> ClusterManifest:
    found = sandbox.client("ssm").get_parameter(Name=f"/bedplate/{environment}/manifest")
    bucket, key = found["Parameter"]["Value"].removeprefix("s3://").split("/", 1)
    return ClusterManifest.model_validate_json(
        sandbox.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    )


def test_new_file_systems_of_every_kind_are_deployed(sandbox: Deployment) -> None:
    """AWS tells of each file system that the manifest tells of, and each node has mounted all of them."""
    _deploy(sandbox, EVERY_KIND)
    fsx, efs = sandbox.client("fsx"), sandbox.client("efs")
    told = {row["FileSystemId"]: row["FileSystemType"] for row in fsx.describe_file_systems()["FileSystems"]}
    told |= {row["FileSystemId"]: "EFS" for row in efs.describe_file_systems()["FileSystems"]}
    manifest = _manifest(sandbox, "storage")
    assert {each.file_system_id: each.kind.upper() for each in manifest.file_systems} == told
    assert len(told) == 8
    associations = fsx.describe_data_repository_associations()["Associations"]
    assert {each["FileSystemPath"] for each in associations} == {"/datasets", "/data-sets"}
    for row in efs.describe_file_systems()["FileSystems"]:
        assert row["NumberOfMountTargets"] == 2
    mounted = ", ".join(each.mount_path for each in manifest.file_systems)
    assert _mounted(sandbox, manifest, nodes=3) == [mounted] * 3


def _mounted(sandbox: Deployment, manifest: ClusterManifest, *, nodes: int) -> list[str]:
    """What each node's report of its boot says of its mounts; waits for that many reports."""
    s3, bucket = sandbox.client("s3"), manifest.validation.result_bucket

    def reports() -> list[dict[str, Any]]:
        keys = [
            each["Key"] for each in s3.list_objects_v2(Bucket=bucket, Prefix="bootstrap/").get("Contents", [])
        ]
        bodies = [json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read()) for key in keys]
        return bodies if len(bodies) >= nodes else []

    return [
        step["reason"] if step["outcome"] == "done" else f"{step['outcome']}: {step['reason']}"
        for body in eventually(reports, limit_s=120)
        for step in body["record"]["steps"]
        if step["name"] == "mount_file_systems"
    ]


def _found(sandbox: Deployment) -> dict[str, str]:
    """A VPC with a file system of each kind, as somebody else left them."""
    ec2, fsx, efs = (sandbox.client(name) for name in ("ec2", "fsx", "efs"))
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    gpu, one, two = (
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{number}.0/24", AvailabilityZoneId=zone)["Subnet"][
            "SubnetId"
        ]
        for number, zone in enumerate(("usw2-az2", "usw2-az1", "usw2-az2"))
    )
    group = ec2.create_security_group(GroupName="servers", Description="servers", VpcId=vpc)["GroupId"]
    own = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=own)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=own)
    common: dict[str, Any] = {"SubnetIds": [gpu], "SecurityGroupIds": [group]}
    lustre = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 1000,
            "EfaEnabled": True,
            "MetadataConfiguration": {"Mode": "AUTOMATIC"},
        },
        **common,
    )["FileSystem"]
    zfs = fsx.create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=64,
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_2", "ThroughputCapacity": 160},
        **common,
    )["FileSystem"]
    home = efs.create_file_system(CreationToken="home")["FileSystemId"]
    efs.create_mount_target(FileSystemId=home, SubnetId=gpu, SecurityGroups=[group])
    return {
        "vpc": vpc,
        "gpu": gpu,
        "one": one,
        "two": two,
        "group": group,
        "lustre": lustre["FileSystemId"],
        "name": lustre["LustreConfiguration"]["MountName"],
        "zfs": zfs["FileSystemId"],
        "efs": home,
    }


def test_existing_file_systems_are_found_opened_and_mounted(
    sandbox: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Preflight is content, before and after; the deploy adds the rules, and makes no file system."""
    found = _found(sandbox)
    file = tmp_path / "found.yaml"
    file.write_text(EXISTING.format(**found), encoding="utf-8")
    for name, value in client_environment(sandbox.record).items():
        monkeypatch.setenv(name, value)
    assert _outcomes(file) == {Outcome.PASS}
    _deploy(sandbox, file)
    assert _outcomes(file) == {Outcome.PASS}
    (group,) = sandbox.client("ec2").describe_security_groups(GroupIds=[found["group"]])["SecurityGroups"]
    others = {
        (rule["IpProtocol"], rule.get("FromPort"))
        for rule in group["IpPermissions"]
        if any(pair["GroupId"] != found["group"] for pair in rule["UserIdGroupPairs"])
    }
    assert others == {("-1", None), ("tcp", 2049)}
    manifest = _manifest(sandbox, "found")
    assert [(each.mount_path, each.created) for each in manifest.file_systems] == [
        ("/fsx", False),
        ("/code", False),
        ("/home", False),
    ]
    assert len(sandbox.client("fsx").describe_file_systems()["FileSystems"]) == 2
    assert _mounted(sandbox, manifest, nodes=2) == ["/fsx, /code, /home"] * 2
    assert json.loads(manifest.model_dump_json())["file_systems"][0]["mount_source"].endswith(found["name"])


def _outcomes(file: Path) -> set[Outcome]:
    """What preflight says of existing file systems."""
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.preflight import existing_file_systems, file_system_groups
    from bedplate.validation.preflight.context import Preflight

    environment = load_environment(file)
    preflight = Preflight(environment, AwsClients(region=environment.region))
    return {
        verdict.outcome
        for module in (existing_file_systems, file_system_groups)
        for verdict in module.check(preflight)
    }
