"""SIMULATED: what the counters of EFA devices say beside the bandwidth over all nodes."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Severity
from bedplate.validation.steps.fabric_counters import CounterFindings, counted, read_counters
from tests.validation.steps.small_cluster import context_of, name

CARRIED = {"tx_bytes": 1 << 30, "retrans_timeout_events": 0, "rx_drops": 0}


def _listing(**changes: dict[str, int]) -> dict[str, Any]:
    devices = {"rdmap0s0": CARRIED, "rdmap1s0": CARRIED, **changes}
    return {
        "infiniband": [
            {"name": each, "vendor": "0x1d0f", "device": "0xefa3", "driver": "efa", "hw_counters": counters}
            for each, counters in devices.items()
        ]
    }


def _counted(after: dict[str, Any] | str, before: dict[str, Any] | str | None = None) -> CounterFindings:
    zero = dict.fromkeys(CARRIED, 0)
    first = _listing(rdmap0s0=zero, rdmap1s0=zero) if before is None else before
    answers = iter([first, after])
    told: dict[str, Any] = {}
    context = context_of({"efa-counters": lambda *_: told["now"]}, nodes=1)
    readings = []
    for answer in answers:
        told["now"] = answer
        readings.append(read_counters(context, context.record.nodes))
    return counted(context, pool="h200", nodes=context.record.nodes, before=readings[0], after=readings[1])


def test_devices_that_carry_and_count_no_event_are_evidence_and_no_finding() -> None:
    """The rise is kept beside the run's log."""
    found = _counted(_listing())
    assert found.findings == ()
    assert found.evidence == ("all-nodes/h200-efa-counters.json",)


@pytest.mark.parametrize(
    ("counters", "severity", "words"),
    [
        ({"tx_bytes": 0}, Severity.WARNING, "carried nothing"),
        ({**CARRIED, "retrans_timeout_events": 3}, Severity.WARNING, "retrans_timeout_events 3"),
        ({**CARRIED, "rx_drops": 5}, Severity.INFO, "rx_drops 5"),
    ],
)
def test_a_device_that_is_idle_or_counts_events_is_named(
    counters: dict[str, int], severity: Severity, words: str
) -> None:
    """By node and device; AWS publishes no limit, so it is a finding and no failure."""
    (finding,) = _counted(_listing(rdmap1s0=counters)).findings
    assert finding.severity is severity
    assert words in finding.text
    assert f"{name(0)} rdmap1s0" in finding.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "no answer"),
        ("no answer", _listing()),
        (None, {"infiniband": None}),
        (_listing(), _listing(rdmap0s0={"tx_bytes": 1})),
    ],
)
def test_readings_that_cannot_be_compared_are_said_to_be_none(before: Any, after: Any) -> None:
    """No answer before or after, no listing, a device that was reset between."""
    (finding,) = _counted(after, before).findings
    assert "could not be compared" in finding.text
