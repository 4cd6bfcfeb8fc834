"""A cluster of EKS with nodes, an add-on, a chart and a manifest, through the real CDK."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.cdk_failure import CdkFailed
from bedplate.sandbox.node import node_program
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment
from tests.sandbox.deploy.conftest import REPOSITORY
from tests.sandbox.hand_made_vpc import HandMadeVpc, make_vpc

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
APP = Path(__file__).parent / "eks_app.py"
ACCOUNT, REGION, STACK = "123456789012", "us-west-2", "small-eks"
VALUES = {"devices": {"count": 32, "shared": False}, "tolerations": [{"key": "nvidia.com/gpu"}]}
TEMPLATE = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: plugin\n"
    'data:\n  count: {{ required "devices.count is missing" .Values.devices.count | quote }}\n'
)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[SandboxRecord]:
    """A sandbox that has the chart at hand."""
    found = start_sandbox(state_dir=tmp_path / "state", account=ACCOUNT, region=REGION, owned=True)
    try:
        chart = tmp_path / "charts" / "plugin"
        (chart / "templates").mkdir(parents=True)
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: plugin\nversion: 1.2.3\n")
        (chart / "templates" / "set.yaml").write_text(TEMPLATE)
        options = {"helm_charts": str(chart.parent)}
        (tmp_path / "state" / "options.json").write_text(json.dumps(options))
        yield found
    finally:
        stop_sandbox(found)


def _client(record: SandboxRecord, service: str) -> Any:
    return boto3.client(
        service,
        endpoint_url=record.endpoint,
        region_name=REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )


def _synthesise(folder: Path, vpc: HandMadeVpc, values: Any) -> Path:
    output = folder / "out"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CDK_")}
    done = subprocess.run(
        [sys.executable, str(APP), vpc.id, *vpc.control_subnets, json.dumps(values)],
        env={**kept, "CDK_OUTDIR": str(output), "JSII_NODE": str(node_program())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return output


def _page(record: SandboxRecord) -> dict[str, Any]:
    with urllib.request.urlopen(f"{record.endpoint}/bedplate/eks") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def _running(record: SandboxRecord) -> list[dict[str, Any]]:
    filters = [
        {"Name": "tag:eks:nodegroup-name", "Values": ["h200"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    answer = _client(record, "ec2").describe_instances(Filters=filters)
    return [instance for each in answer["Reservations"] for instance in each["Instances"]]


def test_a_cluster_is_deployed_and_destroyed(record: SandboxRecord, tmp_path: Path) -> None:
    """Nodes run, the chart got the very values, the namespace is there; afterwards nothing is left.

    A chart whose render fails then fails the deploy with Helm's reason.
    """
    vpc = make_vpc(_client(record, "ec2"))
    output = _synthesise(tmp_path, vpc, VALUES)
    cdk = Cdk(project=REPOSITORY, environment=client_environment(record), output=output)
    cdk.bootstrap(account=ACCOUNT, region=REGION)
    cdk.deploy()
    assert cdk.diff() is False
    eks = _client(record, "eks")
    assert eks.describe_cluster(name="small")["cluster"]["version"] == "1.35"
    assert eks.list_addons(clusterName="small")["addons"] == ["eks-pod-identity-agent"]
    assert len(_running(record)) == 2
    page = _page(record)["small"]
    (release,) = page["releases"]
    assert (release["values"], release["rendered_by"]) == (VALUES, "chart")
    kinds = {each["kind"]: each for each in page["objects"]}
    assert kinds["ConfigMap"]["data"] == {"count": "32"}
    assert kinds["Namespace"]["metadata"]["name"] == "team-a"
    assert [node["instance_type"] for node in page["nodes"]] == ["p5en.48xlarge"] * 2
    cdk.destroy()
    assert _page(record) == {}
    assert _running(record) == []
    _synthesise(tmp_path, vpc, {"devices": {"cuont": 32}})
    with pytest.raises(CdkFailed) as failure:
        cdk.deploy()
    assert "devices.count is missing" in str(failure.value)
    stacks = _client(record, "cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    assert [stack["StackStatus"] for stack in stacks] == ["ROLLBACK_COMPLETE"]
    assert _page(record) == {}
