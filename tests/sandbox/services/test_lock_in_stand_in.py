"""``bedplate lock`` and the questions about blocks, asked of the stand-in by the real client."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bedplate.capacity.locked import check_lock
from bedplate.cli import main
from bedplate.diagnosis.verdict import Outcome
from bedplate.lockfile import read_lock
from bedplate.spec import load_environment
from bedplate.validation.aws import AwsClients
from bedplate.validation.preflight import block_status, images, lock_agrees
from bedplate.validation.preflight.context import Preflight
from tests.sandbox.stand_in import REGION, StandIn

FILE = Path(__file__).parents[2] / "lifecycle/locked.yaml"
TARGETED, BLOCK = "cr-0123456789abcdef1", "cr-0123456789abcdef2"
END = datetime.now(UTC).replace(microsecond=0) + timedelta(days=7)


def _reservations(end: datetime = END) -> dict[str, dict[str, Any]]:
    common = {"AvailabilityZoneId": "usw2-az2", "State": "active", "TotalInstanceCount": 2}
    return {
        TARGETED: {**common, "InstanceType": "p5e.48xlarge"},
        BLOCK: {
            **common,
            "InstanceType": "p6-b300.48xlarge",
            "ReservationType": "capacity-block",
            "CapacityBlockId": "cb-1",
            "StartDate": (end - timedelta(days=14)).isoformat(),
            "EndDate": end.isoformat(),
        },
    }


@pytest.fixture
def file(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment whose reservations the stand-in has; clients are pointed there."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    stand_in.options(capacity_reservations=_reservations())
    return Path(shutil.copy(FILE, tmp_path / "locked.yaml"))


def test_a_lock_is_written_checked_and_found_stale(
    stand_in: StandIn, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command writes what the stand-in says and marks it; an extension is found by --check."""
    assert main.run(["lock", "-e", str(file)]) == 0
    assert capsys.readouterr().out.startswith("SIMULATED")
    lock = read_lock(file)
    assert lock is not None
    check_lock(environment=load_environment(file), lock=lock)
    assert lock.reservations[BLOCK].end == END
    assert lock.images["x86_64"].image_id.startswith("ami-")
    assert "usw2-az2" in lock.offerings["p6-b300.48xlarge"]
    assert main.run(["lock", "-e", str(file), "--check"]) == 0
    stand_in.options(capacity_reservations=_reservations(END + timedelta(days=7)))
    assert main.run(["lock", "-e", str(file), "--check"]) == 4


def test_the_questions_about_blocks_are_answered(stand_in: StandIn, file: Path) -> None:
    """The lock agrees and the block is whole; an impaired interconnect and a new end are told."""
    assert main.run(["lock", "-e", str(file)]) == 0
    environment = load_environment(file)
    asked = Preflight(environment, AwsClients(region=REGION), lock=read_lock(file))
    verdicts = [*lock_agrees.check(asked), *block_status.check(asked)]
    assert [each.outcome for each in verdicts] == [Outcome.PASS, Outcome.PASS]
    stand_in.options(
        capacity_reservations=_reservations(END + timedelta(days=7)),
        capacity_blocks={"cb-1": {"InterconnectStatus": "impaired"}},
    )
    verdicts = [*lock_agrees.check(asked), *block_status.check(asked)]
    assert [each.outcome for each in verdicts] == [Outcome.FAIL, Outcome.FAIL]


def test_the_images_are_there_until_one_is_gone(stand_in: StandIn, file: Path) -> None:
    """Locked images are found; a newer version is told; a deregistered and a foreign one fail."""
    assert main.run(["lock", "-e", str(file)]) == 0
    lock = read_lock(file)
    assert lock is not None
    asked = Preflight(load_environment(file), AwsClients(region=REGION), lock=lock)
    assert [(each.outcome, each.findings) for each in images.check(asked)] == [(Outcome.PASS, ())]
    image = lock.images["x86_64"].image_id
    stand_in.options(newest_image_version=2)
    for now in (asked, replace(asked, lock=None)):
        (newer,) = images.check(now)
        assert newer.outcome is Outcome.PASS
        assert "version 2, where 1 is used" in newer.findings[0].text
    for spoilt in (None, {"Architecture": "arm64"}, {"State": "failed"}):
        stand_in.options(images={image: spoilt})
        assert [each.outcome for each in images.check(asked)] == [Outcome.FAIL]
