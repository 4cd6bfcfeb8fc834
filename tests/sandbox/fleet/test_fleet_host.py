"""Clock, huge pages, GDRCopy and EFA loopback of simulated nodes, through the real stages and checks."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from bedplate.diagnosis.checks import clock_offset, efa_counters, efa_loopback, gdrcopy, huge_pages
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.loopback import read_loopbacks
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import instance_type
from bedplate.sandbox.fleet import Fleet

from .asking import ask
from .conftest import MakeFleet, fault, node_id

P5EN = instance_type("p5en.48xlarge")
DEAD, SLOW, COUNTING, BARE, WRONG, SMALL, WELL = range(7)
FAULTS = [
    fault("efa-device-faulty", DEAD, device=5, speed=0.0),
    fault("efa-device-faulty", SLOW, device=6, speed=0.4),
    fault("efa-errors", COUNTING, device=7, count=9),
    fault("gdrcopy-off", BARE),
    fault("clock-wrong", WRONG, offset_ms=2000),
    fault("huge-pages-missing", SMALL),
]


@pytest.fixture(scope="module")
def ward(make_ready: MakeFleet) -> Fleet:
    """A node for each fault, and a healthy one."""
    return make_ready(*FAULTS, nodes=len(FAULTS) + 1)


def _exercised(fleet: Fleet, index: int) -> NodeFacts:
    settings = {"stages": ["gdrcopy", "efa_loopback"], "efa_count": 16}
    words = base64.urlsafe_b64encode(json.dumps(settings).encode()).decode()
    answer = ask(fleet, node_id(index), "exercise", "--settings", words)
    return NodeFacts(node=node_id(index), answer=answer, instance_type=P5EN)


def _probed(fleet: Fleet, index: int) -> NodeFacts:
    return NodeFacts(node=node_id(index), answer=ask(fleet, node_id(index), "probe"), instance_type=P5EN)


def _judged(check: Any, facts: NodeFacts) -> Verdict:
    verdict: Verdict = check.CHECK.judge(facts)
    return verdict


def test_a_healthy_node_passes_all_of_them(ward: Fleet) -> None:
    """Every device counted exactly what was sent over it, in both directions."""
    facts = _exercised(ward, WELL)
    for check in (efa_loopback, efa_counters, gdrcopy):
        assert _judged(check, facts).outcome is Outcome.PASS
    for check in (clock_offset, huge_pages):
        assert _judged(check, _probed(ward, WELL)).outcome is Outcome.PASS
    loops = read_loopbacks(facts.answer).loops
    assert len(loops) == P5EN.efa_count
    assert {loop.rise.carried_bytes for loop in loops if loop.rise} == {2 * 100 * 16 * 2**20}


@pytest.mark.parametrize(
    ("index", "check", "cause", "device"),
    [
        (DEAD, efa_loopback, "efa-device-faulty", "rdmap111s0"),
        (SLOW, efa_loopback, "efa-device-faulty", "rdmap112s0"),
        (COUNTING, efa_counters, "efa-errors", "rdmap113s0"),
        (BARE, gdrcopy, "gdrcopy-off", ""),
    ],
)
def test_a_fault_under_load_is_named(ward: Fleet, index: int, check: Any, cause: str, device: str) -> None:
    """With the device that has it."""
    verdict = _judged(check, _exercised(ward, index))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, cause)
    assert device in verdict.excerpt


@pytest.mark.parametrize(
    ("index", "check", "cause"),
    [(WRONG, clock_offset, "clock-wrong"), (SMALL, huge_pages, "huge-pages-missing")],
)
def test_a_fault_at_rest_is_named(ward: Fleet, index: int, check: Any, cause: str) -> None:
    """What was written to the kernel is not what it holds."""
    verdict = _judged(check, _probed(ward, index))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, cause)


REFUSED = [
    ("fi_pingpong -e rdm -p efa -f efa -d rdmap85s0 -S 16777216 -I 1 -B 47999", 61, "No data available"),
    ("fi_pingpong -e rdm -p efa -f efa-direct -d rdmap85s0-rdm -S 9 -I 1 -B 47999", 61, "No data"),
    ("fi_pingpong -Z", 1, "invalid option"),
    ("fi_pingpong -e rdm -p efa -f efa -d rdmap85s0-rdm -S 9 -I 1 -B 47999", 1, "of 16 MiB"),
    ("chronyc sources", 1, "Unrecognized"),
    ("sysctl -a", 1, "cannot stat"),
    ("ibv_devices -l", 1, "invalid option"),
    ("gdrcopy_sanity -v", 1, "no options"),
]


@pytest.mark.parametrize(("command", "code", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_a_stand_in_does_not_play_is_refused(ward: Fleet, command: str, code: int, text: str) -> None:
    """A kernel's device name is no libfabric domain, and options that are not played are not ignored."""
    result = ward.run_shell(node_id(WELL), command, 20)
    assert (result.rc, result.stdout) == (code, "")
    assert text in result.stderr
