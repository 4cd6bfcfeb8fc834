"""The function that scales node groups on Capacity Blocks, with EC2 and PCS in memory."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.constructs.capacity_block_handlers import load

END = datetime(2026, 7, 15, 11, 30, tzinfo=UTC)
BLOCK = "cr-0123456789abcdef0"


class Account:
    """Just enough of EC2 and PCS: one block, and node groups that remember their scaling."""

    def __init__(self) -> None:
        self.block: dict[str, Any] | None = {"State": "active", "EndDate": END, "TotalInstanceCount": 64}
        self.groups = {"pcs_a": self._group(), "pcs_b": self._group()}
        self.updates: list[tuple[str, int, int]] = []
        self.refuses: set[str] = set()

    @staticmethod
    def _group() -> dict[str, Any]:
        return {"scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 64}}

    def describe_capacity_reservations(self, *, CapacityReservationIds: list[str]) -> dict[str, Any]:  # noqa: N803
        """The block, or EC2's refusal of an id that it does not know."""
        if self.block is None:
            error = {"Error": {"Code": "InvalidCapacityReservationId.NotFound", "Message": "gone"}}
            raise ClientError(error, "DescribeCapacityReservations")
        return {"CapacityReservations": [{"CapacityReservationId": CapacityReservationIds[0], **self.block}]}

    def get_compute_node_group(
        self,
        *,
        clusterIdentifier: str,  # noqa: N803
        computeNodeGroupIdentifier: str,  # noqa: N803
    ) -> dict[str, Any]:
        """A node group of the one cluster."""
        assert clusterIdentifier == "pcs_cluster"
        return {"computeNodeGroup": self.groups[computeNodeGroupIdentifier]}

    def update_compute_node_group(
        self,
        *,
        clusterIdentifier: str,  # noqa: N803
        computeNodeGroupIdentifier: str,  # noqa: N803
        scalingConfiguration: dict[str, int],  # noqa: N803
    ) -> None:
        """Remember the scaling, or refuse as PCS does while a group is being updated."""
        if computeNodeGroupIdentifier in self.refuses:
            raise ClientError({"Error": {"Code": "ConflictException", "Message": "UPDATING"}}, "Update")
        group = self.groups[computeNodeGroupIdentifier]
        group["scalingConfiguration"] = scalingConfiguration
        both = scalingConfiguration["minInstanceCount"], scalingConfiguration["maxInstanceCount"]
        self.updates.append((computeNodeGroupIdentifier, *both))


def wanted(group: str = "pcs_a", **changes: Any) -> dict[str, Any]:
    """A node group as the stack describes it to the function."""
    base = {
        "cluster": "pcs_cluster",
        "group": group,
        "reservation": BLOCK,
        "minimum": 64,
        "warning_minutes": 40,
    }
    return {**base, **changes}


@pytest.fixture
def account() -> Account:
    """A block that is active, and two node groups at zero."""
    return Account()


@pytest.fixture
def scaler(monkeypatch: pytest.MonkeyPatch, account: Account) -> ModuleType:
    """The handler as Lambda loads it, against the account."""
    module = load("scale", monkeypatch)
    monkeypatch.setattr(module.boto3, "client", lambda name: account)
    monkeypatch.setattr(
        module, "datetime", type("Clock", (), {"now": staticmethod(lambda _: END - timedelta(days=3))})
    )
    monkeypatch.setenv("NODE_GROUPS", json.dumps([wanted("pcs_a"), wanted("pcs_b")]))
    return module


def scale(scaler: ModuleType, account: Account, now: datetime, **changes: Any) -> int:
    """Scale one node group at one moment."""
    minimum: int = scaler.scale(wanted(**changes), ec2=account, pcs=account, now=now)
    return minimum


def test_the_delivery_raises_the_minimum_and_keeps_the_maximum(scaler: ModuleType, account: Account) -> None:
    """Once the block is active the node group has the pool's minimum."""
    assert scale(scaler, account, END - timedelta(days=14)) == 64
    assert account.updates == [("pcs_a", 64, 64)]


def test_what_is_right_already_is_left_alone(scaler: ModuleType, account: Account) -> None:
    """Events come more than once; a second look changes nothing."""
    for _ in range(3):
        scale(scaler, account, END - timedelta(days=1))
    assert len(account.updates) == 1


@pytest.mark.parametrize(
    "state", ["scheduled", "payment-pending", "expired", "delayed", "unavailable", "cancelled", "failed"]
)
def test_a_block_that_is_not_active_has_no_nodes(scaler: ModuleType, account: Account, state: str) -> None:
    """Before the delivery and after the end, launches could only fail."""
    scale(scaler, account, END - timedelta(days=1))
    account.block = {"State": state, "EndDate": END, "TotalInstanceCount": 64}
    assert scale(scaler, account, END - timedelta(days=1)) == 0
    assert account.groups["pcs_a"]["scalingConfiguration"] == {"minInstanceCount": 0, "maxInstanceCount": 64}


@pytest.mark.parametrize("minutes", [40, 70])
def test_the_minimum_is_lowered_at_the_warning(scaler: ModuleType, account: Account, minutes: int) -> None:
    """From the warning on PCS must not launch anew what EC2 takes; a second earlier the nodes stay."""
    warning = END - timedelta(minutes=minutes)
    before = warning - timedelta(seconds=1)
    assert scale(scaler, account, before, warning_minutes=minutes) == 64
    assert scale(scaler, account, warning, warning_minutes=minutes) == 0


def test_an_extended_block_keeps_its_nodes(scaler: ModuleType, account: Account) -> None:
    """The end is what EC2 says now, so an extension needs no deploy."""
    assert account.block is not None
    account.block["EndDate"] = END + timedelta(days=7)
    assert scale(scaler, account, END) == 64


@pytest.mark.parametrize(("total", "maximum", "expected"), [(8, 64, 8), (64, 16, 16)])
def test_the_minimum_stays_within_block_and_maximum(
    scaler: ModuleType, account: Account, total: int, maximum: int, expected: int
) -> None:
    """A minimum beyond the block's size or the group's maximum would be refused."""
    account.block = {"State": "active", "EndDate": END, "TotalInstanceCount": total}
    account.groups["pcs_a"]["scalingConfiguration"]["maxInstanceCount"] = maximum
    assert scale(scaler, account, END - timedelta(days=1)) == expected


def test_a_block_that_ec2_has_forgotten_has_no_nodes(scaler: ModuleType, account: Account) -> None:
    """Some time after its end a block is not there any more, which is no error."""
    account.block = None
    assert scale(scaler, account, END + timedelta(days=9)) == 0


def test_a_pool_that_grows_with_the_queue_stays_at_its_minimum(scaler: ModuleType, account: Account) -> None:
    """A pool of 0 to 64 nodes is PCS's to grow; nothing is raised."""
    assert scale(scaler, account, END - timedelta(days=1), minimum=0) == 0
    assert account.updates == []


def test_an_event_scales_every_node_group(scaler: ModuleType, account: Account) -> None:
    """One event is enough for all node groups."""
    scaler.handler({"detail-type": "Capacity Block Delivered"}, None)
    assert account.updates == [("pcs_a", 64, 64), ("pcs_b", 64, 64)]


def test_one_refusal_does_not_hold_up_the_others(scaler: ModuleType, account: Account) -> None:
    """The other node groups are scaled, and the failure is raised, so that Lambda counts and repeats it."""
    account.refuses = {"pcs_a"}
    with pytest.raises(RuntimeError, match=r"pcs_a: .*ConflictException"):
        scaler.handler({"detail-type": "Scheduled Event"}, None)
    assert account.updates == [("pcs_b", 64, 64)]


@pytest.mark.parametrize("kind", ["Create", "Update"])
def test_each_deploy_scales(
    scaler: ModuleType, account: Account, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """CloudFormation hears what became of each node group."""
    answer = _ask(scaler, monkeypatch, RequestType=kind)
    assert answer["Status"] == "SUCCESS"
    assert answer["Data"] == {"pcs_a": "64", "pcs_b": "64"}
    assert len(account.updates) == 2


def test_a_delete_touches_nothing(
    scaler: ModuleType, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the stack goes, its node groups go by themselves."""
    answer = _ask(scaler, monkeypatch, RequestType="Delete", PhysicalResourceId="old")
    assert (answer["Status"], answer["PhysicalResourceId"], account.updates) == ("SUCCESS", "old", [])


def test_a_refusal_fails_the_deploy_with_its_reason(
    scaler: ModuleType, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node group that cannot be scaled is no success."""
    account.refuses = {"pcs_b"}
    answer = _ask(scaler, monkeypatch, RequestType="Create")
    assert answer["Status"] == "FAILED"
    assert "ConflictException" in answer["Reason"]


def _ask(scaler: ModuleType, monkeypatch: pytest.MonkeyPatch, **event: Any) -> dict[str, Any]:
    answers: list[dict[str, Any]] = []
    import answer

    monkeypatch.setattr(answer, "respond", lambda url, told: answers.append(told))
    base = {
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "AtDeploy",
        "ResponseURL": "https://example.com/answer",
        "ResourceProperties": {"NodeGroups": []},
    }
    scaler.handler({**base, **event}, None)
    (told,) = answers
    return told
