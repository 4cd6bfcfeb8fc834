"""On HyperPod a node is replaced by the service that has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.errors import AwsRefused
from bedplate.validation.actions.cluster import Cluster

NODE = "i-0123456789abcdef0"


def _cluster(answer: dict[str, Any], asked: list[dict[str, Any]]) -> Cluster:
    def replace(**request: Any) -> dict[str, Any]:
        asked.append(request)
        return answer

    clients: Any = SimpleNamespace(sagemaker=SimpleNamespace(batch_replace_cluster_nodes=replace))
    manifest: Any = SimpleNamespace(
        orchestrator=SimpleNamespace(kind="slurm-hyperpod", cluster_name="bedplate-prod")
    )
    transport: Any = SimpleNamespace()
    return Cluster(clients, manifest, transport)


def test_hyperpod_is_asked_to_replace_the_node() -> None:
    """EC2 would not know it."""
    asked: list[dict[str, Any]] = []
    _cluster({"Successful": [NODE], "Failed": []}, asked).terminate(NODE)
    assert asked == [{"ClusterName": "bedplate-prod", "NodeIds": [NODE]}]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"Failed": [{"NodeId": NODE, "ErrorCode": "InvalidNodeStatus", "Message": "it is Pending"}]},
            "InvalidNodeStatus: it is Pending",
        ),
        ({"Successful": []}, "does not speak of it"),
    ],
)
def test_what_hyperpod_does_not_begin_is_a_refusal(answer: dict[str, Any], words: str) -> None:
    """Also where its answer says nothing of the node: it must not be waited for."""
    with pytest.raises(AwsRefused, match=words):
        _cluster(answer, []).terminate(NODE)
