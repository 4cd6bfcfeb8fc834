"""The construct example for HyperPod is deployed as it stands, into a VPC of the sandbox's."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.stand_in import StandIn, outputs

ROOT = Path(__file__).parents[3]
ACCOUNT = "123456789012"


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the example writes."""
    where = tmp_path_factory.mktemp("hyperpod")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_NODE"))}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/constructs/slurm-hyperpod/app.py")],
        cwd=where,
        env={**kept, "CDK_OUTDIR": "cdk.out", "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return where / "cdk.out"


def _upload(stand_in: StandIn, assembly: Path) -> None:
    """Publish the assets as ``cdk deploy`` does."""
    s3, made = stand_in.client("s3"), set()
    for each in json.loads((assembly / "research.assets.json").read_text())["files"].values():
        source = assembly / each["source"]["path"]
        body = source.read_bytes() if source.is_file() else _zipped(source)
        (place,) = each["destinations"].values()
        bucket = place["bucketName"].replace("111122223333", ACCOUNT)
        if bucket not in made:
            s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
            made.add(bucket)
        s3.put_object(Bucket=bucket, Key=place["objectKey"], Body=body)


def _zipped(folder: Path) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder).as_posix())
    return body.getvalue()


def _network(stand_in: StandIn) -> tuple[str, str]:
    ec2 = stand_in.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZoneId="usw2-az2")
    return vpc, subnet["Subnet"]["SubnetId"]


def _template(assembly: Path, vpc: str, subnet: str) -> dict[str, Any]:
    text = (assembly / "research.template.json").read_text()
    for old, new in {
        "111122223333": ACCOUNT,
        "vpc-0123456789abcdef0": vpc,
        "subnet-0123456789abcdef0": subnet,
    }.items():
        text = text.replace(old, new)
    template: dict[str, Any] = json.loads(text)
    # The check of the CDK's bootstrap version: nobody bootstrapped this sandbox.
    template.pop("Rules", None)
    template.pop("Parameters", None)
    return template


def test_the_example_deploys_and_its_nodes_boot_by_the_deployed_folder(
    stand_in: StandIn, assembly: Path
) -> None:
    """The function fills the folder, HyperPod's nodes get each file of it, and all goes with the stack."""
    _upload(stand_in, assembly)
    vpc, subnet = _network(stand_in)
    template = _template(assembly, vpc, subnet)
    stand_in.client("s3").create_bucket(
        Bucket=f"results-{ACCOUNT}", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}
    )
    stack = stand_in.create(template.pop("Resources"), name="research", **template)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons("research")
    sagemaker = stand_in.client("sagemaker")
    cluster = sagemaker.describe_cluster(ClusterName="research")
    assert cluster["ClusterArn"].endswith(f"cluster/{outputs(stack)['ClusterId']}")
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    s3 = stand_in.client("s3")
    keys = {each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]}
    assert {key.removeprefix(f"{prefix}/") for key in keys} == {
        *(
            "on_create.sh",
            "place.py",
            "keep_partitions.sh",
            "partitions",
            "bedplate-node.pyz",
            "bedplate-node.sha256",
            "groups",
        ),
        *("slurm-settings.conf", "slurmd-gate.conf"),
        *(f"settings-{name}.json" for name in ("controller", "login", "h200")),
    }
    script = s3.get_object(Bucket=bucket, Key=f"{prefix}/on_create.sh")["Body"].read()
    assert script == (ROOT / "bedplate/constructs/hyperpod_life_cycle/on_create.sh").read_bytes()
    nodes = sagemaker.list_cluster_nodes(ClusterName="research")["ClusterNodeSummaries"]
    assert [each["InstanceGroupName"] for each in nodes] == ["controller", "login", "h200", "h200"]
    for each in nodes:
        given = stand_in.fleet.booted[each["InstanceId"]]["user_data"]
        assert all(f"s3://{bucket}/{key} " in given for key in keys)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE", stand_in.reasons(stack["StackId"])
    assert bucket not in {each["Name"] for each in s3.list_buckets()["Buckets"]}
