"""From an account to the transport: endpoint and authority from EKS, a token of the caller, the bucket."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from botocore.credentials import Credentials

import bedplate
from bedplate.validation.aws import AwsClients
from bedplate.validation.transports.kubernetes.make import cluster_api, kubernetes_transport
from bedplate.validation.transports.kubernetes.program import node_program
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.question import Question
from tests.validation.transports.kubernetes.played_cluster import PlayedCluster
from tests.validation.transports.test_ssm_transport import node


class _Account:
    """EKS, STS and S3 as far as they are asked."""

    region = "us-west-2"

    def __init__(self, endpoint: str = "https://x.eks.amazonaws.com") -> None:
        self.objects: dict[str, bytes] = {}
        authority = {"data": base64.b64encode(b"PEM").decode()}
        cluster = {"endpoint": endpoint, "certificateAuthority": authority}
        self.eks = SimpleNamespace(describe_cluster=lambda name: {"cluster": cluster})
        self.sts = SimpleNamespace(meta=SimpleNamespace(endpoint_url="https://sts.us-west-2.amazonaws.com"))
        self.s3 = SimpleNamespace(put_object=self._put)

    def credentials(self) -> Credentials:
        """Of the caller."""
        return Credentials("AKIDEXAMPLE", "secret")

    def _put(self, *, Bucket: str, Key: str, Body: bytes) -> None:  # noqa: N803
        self.objects[f"{Bucket}/{Key}"] = Body


def test_the_cluster_is_asked_with_the_caller_s_own_rights() -> None:
    """Where EKS says that it is, under the authority that EKS names."""
    api = cluster_api(clients=cast("AwsClients", _Account()), cluster="prod")
    assert (api.address.endpoint, api.address.certificate_authority) == ("https://x.eks.amazonaws.com", "PEM")
    assert api.token().startswith("k8s-aws-v1.")


def test_a_cluster_that_has_no_endpoint_yet_is_told_of() -> None:
    """While it is being made, EKS gives none."""
    with pytest.raises(ClusterRefused, match="prod cannot be asked") as caught:
        cluster_api(clients=cast("AwsClients", _Account(endpoint="")), cluster="prod")
    assert caught.value.error_id == "KAP-001"


def test_answers_are_kept_in_the_result_bucket_below_the_run() -> None:
    """With the real node program in the ConfigMap, which holds it."""
    account = _Account()
    transport = kubernetes_transport(
        clients=cast("AwsClients", account), cluster="prod", image="i:1", result_bucket="results", run_id="r1"
    )
    cluster = PlayedCluster({node(1): "well"})
    carried: list[dict[str, Any]] = []
    create = cluster.create
    cluster.create = lambda path, document: (carried.append(dict(document)), create(path, document))[1]
    transport.client = cluster
    reply = transport.ask(instance_ids=[node(1)], question=Question("probe", deadline_seconds=20))[node(1)]
    assert reply.answer is not None
    (key,) = account.objects
    assert key.startswith("results/answers/r1/")
    assert reply.location == f"s3://{key}"
    (program,) = (one["binaryData"] for one in carried if one["kind"] == "ConfigMap")
    assert base64.b64decode(program["node.pyz"]) == node_program()


def test_the_program_fits_and_runs_from_a_descriptor(tmp_path: Path) -> None:
    """As the pod starts it; packed, with room to grow to the 1 MiB that a ConfigMap holds."""
    assert len(node_program()) < 700 << 10
    (tmp_path / "node.pyz").write_bytes(node_program())
    command = f'exec "{sys.executable}" /dev/fd/3 --version 3<"{tmp_path}/node.pyz"'
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, bedplate.__version__)
