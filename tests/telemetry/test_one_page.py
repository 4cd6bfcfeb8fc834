"""One failed node is one page: by the data, by amtool's routes, and by a real Alertmanager."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.catalogue import alerts
from bedplate.telemetry.alerts.order import PAGES_OF_A_NODE
from tests.telemetry.alertmanager import GROUP_INTERVAL_S, Alertmanager, alertmanager, definition
from tests.telemetry.webhook import Webhook, webhook

_ALERTS = {each.name: each for each in alerts()}
_PLACE = {"environment": "demo", "cluster": "bedplate-demo"}


def _fires(name: str, *, node: str = "", **labels: str) -> dict[str, Any]:
    alert = _ALERTS[name]
    place = {**_PLACE, "node": node} if node else _PLACE
    rule = {"alertname": name, "severity": alert.severity, "scope": alert.scope}
    return {"labels": {**place, **rule, **labels}, "annotations": {"summary": f"{name} on {node}"}}


def test_every_page_of_a_node_has_its_place_in_the_order() -> None:
    """Of any two one inhibits the other, so that one is left."""
    pages = {each.name for each in alerts() if each.pages_for_node}
    assert pages == set(PAGES_OF_A_NODE)
    assert len(pages) == len(PAGES_OF_A_NODE)
    rules = definition()["inhibit_rules"]
    for first, second in itertools.combinations(PAGES_OF_A_NODE, 2):
        assert _inhibits(rules, first, second)
        assert not _inhibits(rules, second, first)


def _inhibits(rules: list[dict[str, Any]], source: str, target: str) -> bool:
    return any(
        rule["source_matchers"] == [f'alertname="{source}"']
        and target in rule["target_matchers"][0].partition('"')[2].rstrip('"').split("|")
        and rule["equal"] == ["environment", "cluster", "node"]
        for rule in rules
    )


def test_what_wakes_somebody_is_true_no_later_than_what_follows() -> None:
    """A cause that comes after its consequence would be a second page. A node that is down is the exception:
    it is silent for an hour after another page of the node.
    """
    waits = [_ALERTS[name].hold_for_minutes for name in PAGES_OF_A_NODE[1:10]]
    assert max(waits) <= 3
    assert all("ALERTS" in _ALERTS[name].expression for name in PAGES_OF_A_NODE[:1])


@pytest.mark.real("amtool")
@pytest.mark.parametrize("alert", alerts(), ids=lambda each: each.name)
def test_pages_and_tickets_go_apart(alert: Alert, tmp_path: Path) -> None:
    """By Alertmanager's own tool."""
    file = tmp_path / "alertmanager.yml"
    file.write_text(yaml.safe_dump(definition(), sort_keys=False))
    amtool = shutil.which("amtool") or "amtool"
    subprocess.run([amtool, "check-config", str(file)], check=True, capture_output=True)
    labels = [f"alertname={alert.name}", f"severity={alert.severity}", f"scope={alert.scope}", "node=train-1"]
    routed = subprocess.run(
        [amtool, "config", "routes", "test", f"--config.file={file}", *labels],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    assert routed == {"page": "people", "ticket": "tickets"}[alert.severity]


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _settle() -> None:
    """Three more rounds of a group: whatever would be sent late is sent."""
    time.sleep(3 * GROUP_INTERVAL_S)


def _of_a_node(node: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [_fires(name, node=node) for name in names]


@pytest.mark.slow
@pytest.mark.real("alertmanager")
def test_all_that_can_fail_on_a_node_is_one_page(tmp_path: Path) -> None:
    """Every page and every ticket of one node at once, in any order: one message, with one alert in it. A
    second node is a second message, and a ticket of a third is a ticket.
    """
    tickets = tuple(
        each.name for each in alerts() if each.severity == "ticket" and each.scope in ("gpu", "node")
    )
    both = [*_of_a_node("train-1", PAGES_OF_A_NODE), *_of_a_node("train-1", tickets)]
    random.Random(7).shuffle(both)
    with webhook() as kept, alertmanager(tmp_path, kept.url) as server:
        server.post(both)
        server.post([_fires("GpuMissing", node="train-2"), _fires("ClockOff", node="train-3")])
        _until(lambda: len(kept.names("people")) >= 2 and bool(kept.names("tickets")))
        _settle()
        assert sorted(kept.names("people")) == [["GpuMissing"], ["NodeDown"]]
        assert kept.names("tickets") == [["ClockOff"]]


@pytest.mark.slow
@pytest.mark.real("alertmanager")
def test_consequences_that_come_later_send_nothing(tmp_path: Path) -> None:
    """A GPU falls off the bus: Xid 79 first, and minutes later its count, its exporter and its tickets."""
    later = ("GpuMissing", "GpuExporterDown", "GpuStraggler", "CollectorFailed")
    with webhook() as kept, alertmanager(tmp_path, kept.url) as server:
        server.post([_fires("GpuXidReplace", node="train-1", xid="79")])
        _until(lambda: bool(kept.sent))
        server.post(_of_a_node("train-1", later))
        _settle()
        assert _messages(kept) == [("people", ["GpuXidReplace"])]


@pytest.mark.slow
@pytest.mark.real("alertmanager")
def test_a_node_that_is_gone_silences_those_that_wait_for_it(tmp_path: Path) -> None:
    """Other nodes' time-outs are no tickets, and a lost collector is no loss of every node."""
    with webhook() as kept, alertmanager(tmp_path, kept.url) as server:
        server.post([_fires("NodeDown", node="train-1")])
        server.post([_fires("EfaTimeouts", node=f"train-{each}", device="rdmap79s0") for each in (2, 3)])
        _until(lambda: bool(kept.sent))
        _settle()
        assert _messages(kept) == [("people", ["NodeDown"])]
        _lose_everything(server)
        _until(lambda: ["TelemetryLost"] in kept.names("people"))
        _settle()
        assert len(kept.names("people")) == 2


def _lose_everything(server: Alertmanager) -> None:
    server.post([_fires("TelemetryLost")])
    server.post([_fires("NodeDown", node=f"train-{each}") for each in range(2, 9)])


def _messages(kept: Webhook) -> list[tuple[str, list[str]]]:
    return [(each, names) for each in ("people", "tickets") for names in kept.names(each)]
