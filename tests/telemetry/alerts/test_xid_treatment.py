"""Whom an Xid wakes, code by code."""

from __future__ import annotations

import pytest

from bedplate.hardware.xids.catalogue import XIDS
from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.xids import codes, treatment, why_unlike_policy, xid_alerts


def _alert(name: str, policies: dict[int, str]) -> Alert:
    return next(each for each in xid_alerts(policies) if each.name == name)


@pytest.mark.parametrize(
    ("wanted", "of"),
    [
        ("ticket", (63, 94)),
        ("recorded", (13, 31)),
        ("silent", (43, 45, 147, 148, 157)),
        ("by sub-code", (144, 145, 146, 149, 150, 154)),
        ("page", (48, 64, 74, 79, 95, 119)),
    ],
)
def test_codes_are_treated_as_is_documented(wanted: str, of: tuple[int, ...]) -> None:
    """What is a program's, a repair that works, or a consequence wakes nobody."""
    assert {code: treatment(code) for code in of} == dict.fromkeys(of, wanted)


def test_every_code_is_treated() -> None:
    """By its policy, or with a reason why not."""
    ways = {"page", "ticket", "recorded", "silent", "by sub-code"}
    assert {treatment(code) for code in XIDS} == ways
    assert sum(len(codes(way)) for way in ways) == len(XIDS)
    pages = {code for code in XIDS if XIDS[code].fails_node}
    assert set(codes("page")) == pages
    assert all(why_unlike_policy(code) for code in (94, 147, 148, 154, 157))


def test_an_environment_changes_whom_a_code_wakes() -> None:
    """Its own policy goes before the catalogue's, also for a code that NVIDIA does not list."""
    own = {63: "replace", 79: "monitor", 74: "ignore", 999: "reset"}
    assert "|63|" in _alert("GpuXidReplace", own).expression.replace('"', "|")
    assert "79" in _alert("GpuXidNoted", own).expression
    assert not any("|74|" in each.expression for each in xid_alerts(own))
    assert "not in NVIDIA's catalogue" in _alert("GpuXidReset", own).summary


def test_45_is_told_alone_only_where_nothing_explains_it() -> None:
    """It follows other Xids of the same GPU and would hide them."""
    assert all('xid="45"' not in each.expression for each in xid_alerts())
    assert 'unless on (environment, cluster, node, pci_bus_id) bedplate_xid_total{xid!="45"}' in (
        _alert("GpuXidReset", {45: "reset"}).expression
    )
