"""Every kind of fault has the alerts that tell of it, or the reason why none does."""

from __future__ import annotations

from bedplate.sandbox.fleet.fault import KINDS
from bedplate.sandbox.telemetry.fault_alerts import ALERTS_BY_FAULT, BY_VALIDATION, UNTOLD
from bedplate.telemetry.alerts.catalogue import alerts


def test_each_kind_stands_in_one_table() -> None:
    """A kind without a row would be a fault that nobody hears of, and nobody knows it."""
    tables = [*ALERTS_BY_FAULT, *BY_VALIDATION, *UNTOLD]
    assert sorted(tables) == sorted(KINDS)


def test_each_alert_that_is_named_exists() -> None:
    """Those of the tables, and those that the reasons name."""
    names = {each.name for each in alerts()}
    assert {name for row in ALERTS_BY_FAULT.values() for name in row} <= names
    assert {"ValidationFailed", "ValidationOpen"} <= names


def test_each_row_says_something() -> None:
    """An alert for those that have some, a reason for those that have none."""
    assert all(ALERTS_BY_FAULT.values())
    assert all(len(reason.split()) > 3 for reason in (*BY_VALIDATION.values(), *UNTOLD.values()))
