"""``bedplate lock`` against an account in memory: what is asked, kept, compared and written."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bedplate.capacity.locked import check_lock
from bedplate.errors import AwsRefused
from bedplate.lifecycle.lock import compare_lock, lock_text, write_lock
from bedplate.lockfile import LockFile, lock_path, read_lock
from bedplate.spec import load_environment
from tests.validation.preflight.fake_aws import FakeAws, refusal

NOW = datetime(2026, 6, 1, 9, 0, 0, 123456, tzinfo=UTC)
START = datetime(2026, 7, 1, 11, 30, tzinfo=UTC)
END = datetime(2026, 7, 15, 11, 30, tzinfo=UTC)
TARGETED, BLOCK = "cr-0123456789abcdef1", "cr-0123456789abcdef2"
SIZE_TAG = "aws:ec2capacityreservation:incrementalRequestedQuantity"


def _row(reservation: str, instance_type: str, **more: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": reservation,
        "InstanceType": instance_type,
        "AvailabilityZoneId": "usw2-az2",
        "TotalInstanceCount": 2,
        "State": "active",
        **more,
    }


@pytest.fixture
def aws() -> FakeAws:
    """An account with a targeted reservation, a block that has not begun, and images."""
    fake = FakeAws()
    fake.region = "us-west-2"  # type: ignore[attr-defined]
    fake.simulated = False
    fake.reservations = [
        _row(TARGETED, "p5e.48xlarge", PlacementGroupArn="arn:aws:ec2:::placement-group/a"),
        _row(
            BLOCK,
            "p6-b300.48xlarge",
            TotalInstanceCount=0,
            Tags=[{"Key": SIZE_TAG, "Value": "2"}],
            State="scheduled",
            ReservationType="capacity-block",
            CapacityBlockId="cb-1",
            StartDate=START,
            EndDate=END,
        ),
    ]
    fake.tables["ec2"]["describe_capacity_blocks"] = {"CapacityBlocks": [{"CapacityBlockId": "cb-1"}]}
    fake.tables["ec2"]["describe_instance_type_offerings"] = lambda request: {
        "InstanceTypeOfferings": [
            {"InstanceType": name, "Location": zone}
            for name in request["Filters"][0]["Values"]
            for zone in ("usw2-az3", "usw2-az2")
        ]
    }
    _publish(fake, version=7, image="ami-0123456789abcdef0")
    return fake


def _publish(aws: FakeAws, *, version: int, image: str) -> None:
    aws.tables["ssm"]["get_parameter"] = lambda request: {"Parameter": {"Value": image, "Version": version}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An environment file with two reservations, in a folder of its own."""
    return Path(shutil.copy(Path(__file__).with_name("locked.yaml"), tmp_path / "locked.yaml"))


def _compare(file: Path, aws: FakeAws, **options: Any):
    return compare_lock(load_environment(file), file, aws, now=NOW, **options)  # type: ignore[arg-type]


def _locked(file: Path, aws: FakeAws) -> LockFile:
    write_lock(_compare(file, aws))
    lock = read_lock(file)
    assert lock is not None
    return lock


def test_what_is_written_is_what_aws_says(file: Path, aws: FakeAws) -> None:
    """Reservations, times, sizes, zones and images are in the file, and the file fits its environment."""
    lock = _locked(file, aws)
    block, targeted = lock.reservations[BLOCK], lock.reservations[TARGETED]
    assert (block.kind, block.start, block.end, block.zone_id) == ("capacity-block", START, END, "usw2-az2")
    assert (targeted.kind, targeted.placement_group_arn) == ("on-demand", "arn:aws:ec2:::placement-group/a")
    assert lock.offerings["p6-b300.48xlarge"] == ("usw2-az2", "usw2-az3")
    assert lock.images["x86_64"].image_id == "ami-0123456789abcdef0"
    assert lock.images["x86_64"].version == 7
    assert "arm64" not in lock.images
    assert lock.locked_at == NOW.replace(microsecond=0)
    check_lock(environment=load_environment(file), lock=lock)


def test_a_block_that_has_not_begun_has_its_size(file: Path, aws: FakeAws) -> None:
    """EC2 shows no capacity before the start; the tag with the size that was bought is read."""
    assert _locked(file, aws).reservations[BLOCK].instances == 2


def test_an_ultraserver_block_is_known_as_one(file: Path, aws: FakeAws) -> None:
    """EC2 tells an UltraServer block from others by the block's UltraServer type."""
    aws.tables["ec2"]["describe_capacity_blocks"] = {
        "CapacityBlocks": [{"CapacityBlockId": "cb-1", "UltraserverType": "u-p6e-gb200x72"}]
    }
    assert _compare(file, aws).after.reservations[BLOCK].kind == "ultraserver-block"


def test_an_interruptible_reservation_is_known_as_one(file: Path, aws: FakeAws) -> None:
    """EC2 says that a reservation is interruptible."""
    aws.reservations[0]["Interruptible"] = True
    assert _compare(file, aws).after.reservations[TARGETED].kind == "interruptible"


def test_asked_again_nothing_has_changed(file: Path, aws: FakeAws) -> None:
    """The same answers are no change, whenever they are asked for."""
    first = lock_text(_locked(file, aws))
    assert _compare(file, aws).changes == ()
    assert lock_path(file).read_text(encoding="utf-8") == first


def test_an_extended_block_is_a_change_with_both_ends(file: Path, aws: FakeAws) -> None:
    """The place, the old and the new value are told."""
    _locked(file, aws)
    aws.reservations[1]["EndDate"] = END.replace(day=22)
    (change,) = _compare(file, aws).changes
    assert str(change) == f"reservations.{BLOCK}.end: 2026-07-15T11:30:00Z → 2026-07-22T11:30:00Z"


def test_locked_images_stay_until_newer_ones_are_asked_for(file: Path, aws: FakeAws) -> None:
    """Another image launches every node anew, so a newer one is taken on request only."""
    _locked(file, aws)
    _publish(aws, version=8, image="ami-0fedcba9876543210")
    assert _compare(file, aws).changes == ()
    changes = _compare(file, aws, newest_images=True).changes
    assert {change.place for change in changes} == {"images.x86_64.image_id", "images.x86_64.version"}


def test_a_broken_lock_file_is_written_anew(file: Path, aws: FakeAws) -> None:
    """What cannot be read counts as no lock file, and the next write mends it."""
    lock_path(file).write_text("{", encoding="utf-8")
    assert _compare(file, aws).before is None
    assert _locked(file, aws).environment == "locked"
    assert [path.name for path in sorted(file.parent.iterdir())] == ["locked.lock.json", "locked.yaml"]


@pytest.mark.parametrize(
    "answer", [{"CapacityReservations": []}, refusal("InvalidCapacityReservationId.NotFound")]
)
def test_a_reservation_that_is_not_there_is_refused(file: Path, aws: FakeAws, answer: Any) -> None:
    """Nothing is locked for what EC2 does not know; the message names the id."""
    aws.tables["ec2"]["describe_capacity_reservations"] = answer
    with pytest.raises(AwsRefused, match=TARGETED) as refused:
        _compare(file, aws)
    assert refused.value.error_id == "LCK-008"
    assert not lock_path(file).exists()


def test_another_account_is_refused(file: Path, aws: FakeAws) -> None:
    """Credentials of another account would lock what the deploy does not use."""
    aws.tables["sts"]["get_caller_identity"] = {"Account": "999999999999"}
    with pytest.raises(AwsRefused, match="999999999999") as refused:
        _compare(file, aws)
    assert refused.value.error_id == "LCK-007"


def test_what_does_not_come_from_aws_is_marked(file: Path, aws: FakeAws) -> None:
    """A lock that the stand-in answered for says so."""
    aws.simulated = True
    lock = _locked(file, aws)
    assert lock.simulated
    assert json.loads(lock_path(file).read_text())["simulated"] is True
