"""Simulated exporters → real Prometheus → real Alertmanager: every fault is told, once, and nothing else.

SIMULATED, with times scaled down: what is shown is that rules fire and what people are told, not when.
"""

from __future__ import annotations

import pytest

from bedplate.sandbox.fleet.fault import KINDS
from bedplate.sandbox.telemetry.fault_alerts import ALERTS_BY_FAULT, BY_VALIDATION, UNTOLD
from bedplate.telemetry.alerts.catalogue import alerts
from tests.telemetry.live.cases import NOT_LIVE, PAGES_TWICE, alerts_owed, cases
from tests.telemetry.live.run import PEOPLE, Outcome, play

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real("prometheus"),
    pytest.mark.real("alertmanager"),
    pytest.mark.timeout(900),
]
SEVERITY = {each.name: each.severity for each in alerts()}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run for all."""
    return play(tmp_path_factory.mktemp("live"))


def test_every_fault_and_every_alert_has_its_case() -> None:
    """Each kind of the sandbox is injected, and each alert that a live run can raise is raised."""
    played = cases()
    assert {each.name for each in played if each.is_fault} == set(KINDS)
    assert {*ALERTS_BY_FAULT, *BY_VALIDATION, *UNTOLD} == set(KINDS)
    raised = {each.alert for each in played} | {name for each in played for name in each.beside}
    assert alerts_owed() <= raised
    assert set(NOT_LIVE) <= set(SEVERITY)


def test_a_healthy_fleet_raises_nothing(outcome: Outcome) -> None:
    """All targets answer, and no alert is pending or fires, on every type of node that is played."""
    assert (outcome.down, outcome.early) == (0, ())


def test_every_fault_raises_its_alert(outcome: Outcome) -> None:
    """On the node, the job or the cluster that it sits on."""
    assert [each.case.name for each in outcome.rows if each.fired_s is None] == []


def test_no_alert_is_without_its_fault(outcome: Outcome) -> None:
    """What fires beside is what is written down as its consequence."""
    assert outcome.stray == ()


def test_somebody_is_told_what_is_wrong_and_what_to_do(outcome: Outcome) -> None:
    """Each page has a subject that names its severity, the meaning, the action and the runbook."""
    told = [each for each in outcome.rows if each.told is not None and SEVERITY[each.case.alert] == "page"]
    assert told
    for each in told:
        assert each.told is not None
        assert each.told.receiver == PEOPLE
        assert each.told.subject.startswith("[demo] page: ")
        for part in ("Do: ", "Means: ", "Runbook: docs/runbooks/", "Dashboard: bedplate-"):
            assert part in each.told.text, each.case.name


def test_one_failed_node_is_one_page(outcome: Outcome) -> None:
    """However many of its parts say so, save what is written down with its reason."""
    assert len(outcome.pages_by_node) > len(outcome.gaps)
    twice = {(each.cluster, f"gpu-{each.node + 1}") for each in cases() if each.name in PAGES_TWICE}
    more = [each for each in outcome.pages_by_node if each[2] != 1 and each[:2] not in twice]
    assert more == []


def test_every_panel_has_series(outcome: Outcome) -> None:
    """Each query of each dashboard finds something in the real server."""
    assert outcome.queries > 50
    assert outcome.empty_panels == ()
