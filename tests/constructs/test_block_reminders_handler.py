"""The function that tells which reminders are still to come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from tests.constructs.capacity_block_handlers import load

WARNING = datetime(2026, 7, 15, 10, 50, tzinfo=UTC)
TIMES = {"Warning": "2026-07-15T10:50:00", "DayBefore": "2026-07-14T11:00:00"}


@pytest.fixture
def reminders(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The handler as Lambda loads it."""
    return load("reminders", monkeypatch)


def test_what_is_to_come_is_scheduled(reminders: ModuleType) -> None:
    """Each moment ahead has its own expression, and its schedule is enabled."""
    assert reminders.states(TIMES, now=WARNING - timedelta(days=3)) == {
        "WarningState": "ENABLED",
        "WarningAt": "at(2026-07-15T10:50:00)",
        "DayBeforeState": "ENABLED",
        "DayBeforeAt": "at(2026-07-14T11:00:00)",
    }


def test_what_has_passed_is_disabled_and_never_in_the_past(reminders: ModuleType) -> None:
    """A moment that has passed gets a disabled schedule whose expression lies ahead; the others stay."""
    found = reminders.states(TIMES, now=WARNING - timedelta(hours=3))
    assert found["DayBeforeState"] == "DISABLED"
    assert found["DayBeforeAt"] == "at(2099-12-31T23:59:59)"
    assert found["WarningState"] == "ENABLED"


@pytest.mark.parametrize(("minutes", "state"), [(6, "ENABLED"), (5, "DISABLED"), (0, "DISABLED")])
def test_there_is_time_left_to_make_the_schedule(reminders: ModuleType, minutes: int, state: str) -> None:
    """A moment within five minutes might be in the past when CloudFormation makes the schedule."""
    found = reminders.states({"Warning": "2026-07-15T10:50:00"}, now=WARNING - timedelta(minutes=minutes))
    assert found["WarningState"] == state


def test_cloudformation_gets_the_answer(reminders: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create answers with the states, and what is no time with FAILED and the reason."""
    import answer

    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(answer, "respond", lambda url, told: answers.append(told))
    event = {
        "RequestType": "Create",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Times",
        "ResponseURL": "https://example.com/answer",
        "ResourceProperties": {"Times": {"Warning": "2020-01-01T00:00:00"}},
    }
    reminders.handler(event, None)
    assert (answers[0]["Status"], answers[0]["Data"]["WarningState"]) == ("SUCCESS", "DISABLED")
    reminders.handler({**event, "ResourceProperties": {"Times": {"Warning": "soon"}}}, None)
    assert answers[1]["Status"] == "FAILED"
    assert "soon" in answers[1]["Reason"]
