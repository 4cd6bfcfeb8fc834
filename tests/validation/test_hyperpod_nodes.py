"""The nodes of a HyperPod cluster are listed by SageMaker, group by group."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.validation.hyperpod_nodes import hyperpod_instances
from tests.validation.preflight.fake_aws import FakeService

LAUNCHED = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def _row(number: int, *, group: str = "h200", status: str = "Running", host: str = "") -> dict[str, Any]:
    return {
        "InstanceGroupName": group,
        "InstanceId": f"i-{number}",
        "InstanceType": "ml.p5en.48xlarge",
        "InstanceStatus": {"Status": status},
        "LaunchTime": LAUNCHED,
        "PrivateDnsHostname": host or f"ip-10-0-1-{number}.us-west-2.compute.internal",
    }


def _nodes(*rows: dict[str, Any]) -> Any:
    answers = {
        "list_cluster_nodes": {"ClusterNodeSummaries": list(rows)},
        "describe_cluster_node": {"NodeDetails": {"PrivatePrimaryIp": "10.0.9.9"}},
    }
    clients: Any = SimpleNamespace(sagemaker=FakeService(answers))
    return hyperpod_instances(clients=clients, cluster="bedplate-prod", group="h200")


def test_a_node_is_told_in_ec2s_words() -> None:
    """Its type without SageMaker's prefix, and the address that its host name holds."""
    (one,) = _nodes(_row(5), _row(6, group="login"))
    assert (one.instance_id, one.instance_type) == ("i-5", "p5en.48xlarge")
    assert (one.private_ip, one.state, one.launched_at) == ("10.0.1.5", "running", LAUNCHED)


@pytest.mark.parametrize("status", ["Pending", "SystemUpdating", "DeepHealthCheckInProgress", "Failure"])
def test_a_node_that_is_not_ready_is_there_and_pending(status: str) -> None:
    """It is one of the pool's, and its agent decides whether it can be asked."""
    assert [each.state for each in _nodes(_row(5, status=status))] == ["pending"]


@pytest.mark.parametrize("status", ["ShuttingDown", "NotFound"])
def test_a_node_that_goes_is_none_of_the_pool(status: str) -> None:
    """It would be missed as a node that does not answer."""
    assert _nodes(_row(5, status=status)) == ()


@pytest.mark.parametrize("host", ["node-5.example.internal", "ip-10-0-1.internal"])
def test_a_host_of_another_name_is_asked_for_its_address(host: str) -> None:
    """Slurm's nodes are matched by address."""
    assert [each.private_ip for each in _nodes(_row(5, host=host))] == ["10.0.9.9"]
