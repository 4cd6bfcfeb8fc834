"""IMX-001: the IMEX domain of an UltraServer."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.checks import imex_domain
from bedplate.diagnosis.parsers.imex import parse_imex
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis.gpu_texts import imex

ULTRA = instance_type("p6e-gb200.36xlarge")
ONE, TWO = "10.0.0.1", "10.0.0.2"


def _ask(text: str, problem: str = "") -> Verdict:
    reading = Reading(parse_imex(text), problem)
    return imex_domain.check(node="i-1", domain=reading, instance_type=ULTRA)


def test_a_domain_whose_nodes_are_connected_passes() -> None:
    """Up, all ready, each connected to each."""
    assert _ask(imex()).outcome is Outcome.PASS


def test_a_domain_of_one_says_what_it_proves() -> None:
    """One node alone is a domain too, and nothing is claimed of the others."""
    verdict = _ask(imex(nodes={ONE: "READY"}))
    assert verdict.outcome is Outcome.PASS
    assert verdict.summary == (
        "IMEX is up on this node, in a domain of 1; whether the domain spans the nodes is NCL-004"
    )
    assert "NCL-004" in imex_domain.ROW.what


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "DOWN"},
        {"status": "DEGRADED"},
        {"nodes": {ONE: "READY", TWO: "UNAVAILABLE"}},
        {"nodes": {ONE: "WAITING_FOR_PEERS", TWO: "READY"}},
        {"connections": {(ONE, TWO): "INVALID"}},
        {"connections": {(TWO, ONE): "DISCONNECTED"}},
        {"connections": {(ONE, TWO): None}},
        {"status": "SPLENDID"},
    ],
)
def test_anything_else_fails(changes: dict[str, Any]) -> None:
    """A domain that is down or degraded, a node that is not ready, a connection that is not there."""
    for problem in ("", "ended with status 1"):
        verdict = _ask(imex(**changes), problem)
        assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "imex-down")
        assert "Do not drain" in verdict.remedy


def test_what_cannot_be_read_is_an_error() -> None:
    """No answer, a bad status beside a good one, and a domain without nodes."""
    missing = imex_domain.check(node="i-1", domain=Reading(None, "No such file"), instance_type=ULTRA)
    assert missing.outcome is Outcome.ERROR
    assert _ask(imex(), "ended with status 1").outcome is Outcome.ERROR
    assert _ask('{"nodes": {}, "status": "UP"}').outcome is Outcome.ERROR


def test_other_types_have_no_domain(p5en: InstanceType) -> None:
    """IMEX joins instances of one UltraServer; DCGM's own watch calls it unhealthy elsewhere."""
    verdict = imex_domain.check(node="i-1", domain=Reading(None, "none"), instance_type=p5en)
    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert imex_domain.CHECK.applies(ULTRA, 1)
    assert not imex_domain.CHECK.applies(p5en, 1)
