"""Questions before a deploy about Capacity Blocks: the lock file, and the state of what was delivered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.lockfile import LockFile
from bedplate.spec.capacity_sources import CapacityBlock
from bedplate.validation.preflight import block_status, lock_agrees
from bedplate.validation.preflight.context import Preflight
from tests.support.locks import END, START, lock_for
from tests.validation.preflight.fake_aws import FakeAws, preflight_of, refusal

RESERVATION = "cr-0123456789abcdef0"


@pytest.fixture
def aws() -> FakeAws:
    """An account with one block that is active, whole and well."""
    fake = FakeAws()
    fake.region = "us-west-2"  # type: ignore[attr-defined]
    fake.reservations = [
        {
            "CapacityReservationId": RESERVATION,
            "InstanceType": "p5en.48xlarge",
            "AvailabilityZoneId": "usw2-az2",
            "ReservationType": "capacity-block",
            "CapacityBlockId": "cb-1",
            "State": "active",
            "TotalInstanceCount": 8,
            "AvailableInstanceCount": 8,
            "StartDate": START,
            "EndDate": END,
        }
    ]
    fake.tables["ec2"]["describe_capacity_blocks"] = {"CapacityBlocks": [{"CapacityBlockId": "cb-1"}]}
    _status(fake)
    return fake


def _status(aws: FakeAws, **changes: Any) -> None:
    status = {
        "CapacityBlockId": "cb-1",
        "InterconnectStatus": "ok",
        "TotalCapacity": 8,
        "TotalAvailableCapacity": 8,
        "TotalUnavailableCapacity": 0,
        **changes,
    }
    kept = {key: value for key, value in status.items() if value is not None}
    aws.tables["ec2"]["describe_capacity_block_status"] = {"CapacityBlockStatuses": [kept]}


def _preflight(aws: FakeAws) -> Preflight:
    demo = preflight_of(aws)
    block = CapacityBlock(source="capacity-block", reservation=RESERVATION)
    pools = (demo.environment.pools[0].model_copy(update={"capacity": block}),)
    environment = demo.environment.model_copy(update={"pools": pools})
    size = pools[0].max_nodes
    aws.reservations[0]["TotalInstanceCount"] = size
    return replace(demo, environment=environment, lock=lock_for(environment))


def _locked(aws: FakeAws, **change: Any) -> Verdict:
    preflight = _preflight(aws)
    aws.reservations[0].update(change)
    (verdict,) = lock_agrees.check(preflight)
    return verdict


def test_only_blocks_are_asked_for(aws: FakeAws) -> None:
    """Both questions are put where a pool is on a block, and nowhere else."""
    with_block, without = _preflight(aws).environment, preflight_of(aws).environment
    for module in (lock_agrees, block_status):
        assert module.applies(with_block)
        assert not module.applies(without)


def test_a_lock_that_agrees_passes(aws: FakeAws) -> None:
    """Everything in the lock is as AWS says now."""
    assert _locked(aws).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"EndDate": END + timedelta(days=7)}, "end: 2026-07-15T11:30:00Z → 2026-07-22T11:30:00Z"),
        ({"StartDate": START + timedelta(days=1)}, "start"),
        ({"AvailabilityZoneId": "usw2-az3"}, "zone_id: usw2-az2 → usw2-az3"),
        ({"TotalInstanceCount": 1}, "instances"),
    ],
)
def test_what_has_changed_since_fails(aws: FakeAws, change: dict[str, Any], words: str) -> None:
    """The place, what is locked and what AWS says are told; the remedy is to lock again."""
    verdict = _locked(aws, **change)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert "bedplate lock" in verdict.remedy


def test_no_lock_and_a_foreign_lock_fail(aws: FakeAws) -> None:
    """What synthesis would refuse is told here by the same id."""
    preflight = _preflight(aws)
    lock = preflight.lock
    assert isinstance(lock, LockFile)
    for wrong, error_id in ((None, "LCK-002"), (lock.model_copy(update={"account": "9" * 12}), "LCK-003")):
        (verdict,) = lock_agrees.check(replace(preflight, lock=wrong))
        assert verdict.outcome is Outcome.FAIL
        assert error_id in verdict.summary


def test_a_reservation_that_is_gone_fails(aws: FakeAws) -> None:
    """A block that EC2 has forgotten is a fail of the lock, not an error of the question."""
    preflight = _preflight(aws)
    aws.tables["ec2"]["describe_capacity_reservations"] = refusal("InvalidCapacityReservationId.NotFound")
    (verdict,) = lock_agrees.check(preflight)
    assert verdict.outcome is Outcome.FAIL
    assert "LCK-008" in verdict.summary


def _state(aws: FakeAws, **change: Any) -> Verdict:
    preflight = _preflight(aws)
    aws.reservations[0].update(change)
    (verdict,) = block_status.check(preflight)
    return verdict


def _needed(aws: FakeAws) -> int:
    return _preflight(aws).environment.pools[0].max_nodes


def test_a_block_that_is_whole_and_well_passes(aws: FakeAws) -> None:
    """Capacity and interconnect are measured and told."""
    verdict = _state(aws)
    assert verdict.outcome is Outcome.PASS
    assert verdict.findings == ()
    assert verdict.measured == "8 of 8 instances usable, interconnect ok"


def test_an_impaired_interconnect_fails(aws: FakeAws) -> None:
    """Collectives would crawl while the block's clock runs."""
    _status(aws, InterconnectStatus="impaired")
    verdict = _state(aws)
    assert verdict.outcome is Outcome.FAIL
    assert "impaired" in verdict.summary


def test_too_little_usable_capacity_fails(aws: FakeAws) -> None:
    """One instance fewer than the pool needs never fills it; exactly enough is a pass with a finding."""
    needed = _needed(aws)
    _status(aws, TotalCapacity=needed + 1, TotalUnavailableCapacity=1)
    enough = _state(aws)
    assert enough.outcome is Outcome.PASS
    assert [finding.severity for finding in enough.findings] == [Severity.WARNING]
    _status(aws, TotalCapacity=needed, TotalUnavailableCapacity=1)
    assert _state(aws).outcome is Outcome.FAIL


def test_no_data_on_the_interconnect_is_a_finding(aws: FakeAws) -> None:
    """Right after the delivery EC2 may know nothing yet: capacity is judged, validation measures the rest."""
    _status(aws, InterconnectStatus="insufficient-data")
    verdict = _state(aws)
    assert verdict.outcome is Outcome.PASS
    assert "bedplate validate" in verdict.findings[0].remedy


def test_a_block_that_has_not_begun_has_no_state_yet(aws: FakeAws) -> None:
    """A scheduled block passes without a status, for an early deploy is right."""
    _status(aws, InterconnectStatus="impaired")
    verdict = _state(aws, State="scheduled")
    assert verdict.outcome is Outcome.PASS
    assert "has not begun" in verdict.summary


@pytest.mark.parametrize(
    "change",
    [{"InterconnectStatus": "fine"}, {"InterconnectStatus": None}, {"TotalCapacity": None}],
)
def test_an_answer_that_lacks_something_is_an_error(aws: FakeAws, change: dict[str, Any]) -> None:
    """What EC2 does not say is not taken for well."""
    _status(aws, **change)
    assert _state(aws).outcome is Outcome.ERROR


def test_a_block_without_an_id_or_a_status_is_an_error(aws: FakeAws) -> None:
    """Without the block's id, or with an empty answer, the question could not be put."""
    assert _state(aws, CapacityBlockId=None).outcome is Outcome.ERROR
    aws.reservations[0]["CapacityBlockId"] = "cb-1"
    aws.tables["ec2"]["describe_capacity_block_status"] = {"CapacityBlockStatuses": []}
    assert _state(aws).outcome is Outcome.ERROR
