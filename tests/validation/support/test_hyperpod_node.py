"""A support case about a HyperPod node holds what SageMaker tells of it."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from bedplate.validation.support.hyperpod_node import about_hyperpod_node
from tests.validation.preflight.fake_aws import FakeService, refusal

TOLD = {
    "NodeDetails": {
        "InstanceGroupName": "h200",
        "InstanceId": "i-1",
        "InstanceType": "ml.p5en.48xlarge",
        "InstanceStatus": {"Status": "Running", "Message": ""},
        "LaunchTime": datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
        "Placement": {"AvailabilityZoneId": "usw2-az2"},
    }
}


def _about(answer: Any) -> dict[str, Any]:
    clients: Any = SimpleNamespace(sagemaker=FakeService({"describe_cluster_node": answer}))
    return about_hyperpod_node(clients=clients, cluster="bedplate-prod", instance_id="i-1")


def test_its_group_state_and_place_are_told() -> None:
    """What SageMaker leaves empty is left out."""
    assert _about(TOLD) == {
        "InstanceGroupName": "h200",
        "InstanceType": "ml.p5en.48xlarge",
        "State": "Running",
        "LaunchTime": "2026-11-30T09:00:00+00:00",
        "AvailabilityZoneId": "usw2-az2",
    }


def test_a_node_that_is_gone_is_a_problem_in_words() -> None:
    """The archive is made all the same."""
    assert "asking about i-1" in _about(refusal("ResourceNotFound"))["problem"]
