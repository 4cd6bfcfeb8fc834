"""EFA-002 and EFA-003: each device sends to itself, and its own counters bear witness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.diagnosis.checks import efa_counters, efa_loopback
from bedplate.diagnosis.loopback import read_loopbacks
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import host_texts, texts

NAMES = texts.efa_names()
Break = Callable[[dict[str, Any]], None]


def _stage(*breaks: Break) -> dict[str, Any]:
    stage = host_texts.loopback_stage(NAMES)
    for each in breaks:
        each(stage)
    return stage


def _loop(index: int, **changes: Any) -> Break:
    def apply(stage: dict[str, Any]) -> None:
        stage["loops"][index] = host_texts.loop(NAMES[index], index, **changes)

    return apply


def _client(index: int, **changes: Any) -> Break:
    def apply(stage: dict[str, Any]) -> None:
        stage["loops"][index]["client"].update(changes)

    return apply


def _all(change: Callable[[int], Break]) -> list[Break]:
    return [change(index) for index in range(len(NAMES))]


def _without(index: int) -> Break:
    def apply(stage: dict[str, Any]) -> None:
        del stage["loops"][index]

    return apply


def _set(**changes: Any) -> Break:
    return lambda stage: stage.update(changes)


def _both(stage: object, kind: InstanceType) -> tuple[Verdict, Verdict]:
    report = read_loopbacks({"stages": {"efa_loopback": stage}})
    return (
        efa_loopback.check(node="i-1", report=report, instance_type=kind),
        efa_counters.check(node="i-1", report=report, instance_type=kind),
    )


REFUSED = {"rc": 11, "stdout": "", "stderr": "[error] fi_eq_sread: Resource temporarily unavailable\n"}
LATE = {"rc": None, "timed_out": True, "stdout": ""}
MISSING = {
    "rc": None,
    "stdout": "",
    "stderr": "bedplate: [Errno 2] No such file or directory: 'fi_pingpong'\n",
}
EVENT = {"rise": {"retrans_timeout_events": 3}}
UNMOVED = {"rise": {"tx_bytes": 0}}
OTHER_SIZE = {"stdout": host_texts.pingpong(size="64")}

# what is broken → (EFA-002, cause), (EFA-003, cause)
P, F, E = Outcome.PASS, Outcome.FAIL, Outcome.ERROR
CASES: list[tuple[str, list[Break], tuple[Outcome, str | None], tuple[Outcome, str | None]]] = [
    ("nothing", [], (P, None), (P, None)),
    ("slow", [_loop(3, mb_per_s=15900.0)], (F, "efa-device-faulty"), (P, None)),
    ("just fast enough", [_loop(3, mb_per_s=16000.0)], (P, None), (P, None)),
    ("all slow alike", _all(lambda i: _loop(i, mb_per_s=2400.0)), (Outcome.NOT_TESTED, None), (P, None)),
    ("all alike and fast enough", _all(lambda i: _loop(i, mb_per_s=2600.0)), (P, None), (P, None)),
    ("refused", [_client(3, **REFUSED)], (F, "efa-device-faulty"), (E, None)),
    ("hangs", [_client(3, **LATE)], (F, "efa-device-faulty"), (E, None)),
    ("all refused", _all(lambda i: _client(i, **REFUSED)), (F, "efa-traffic-blocked"), (E, None)),
    ("program missing", _all(lambda i: _client(i, **MISSING)), (E, None), (E, None)),
    ("killed", [_client(3, rc=None)], (E, None), (E, None)),
    ("cut", [_client(3, truncated=True)], (E, None), (E, None)),
    ("silent", [_client(3, stdout="")], (E, None), (E, None)),
    ("another size", [_client(3, **OTHER_SIZE)], (E, None), (E, None)),
    ("shared memory", _all(lambda i: _loop(i, **UNMOVED)), (E, None), (E, None)),
    ("one uncounted", [_loop(3, **UNMOVED)], (E, None), (E, None)),
    ("counters fell", [_loop(3, rise={"rx_bytes": -5})], (E, None), (E, None)),
    ("no reading", [_loop(3, after=None)], (E, None), (E, None)),
    ("errors", [_loop(3, **EVENT)], (P, None), (F, "efa-errors")),
    ("a device left out", [_without(3)], (E, None), (E, None)),
    ("a device twice", [lambda stage: stage["loops"][3].update(device=NAMES[2])], (E, None), (E, None)),
    ("no device", [_set(loops=[])], (E, None), (E, None)),
    ("nonsense", [_set(loops="x", listed=1)], (E, None), (E, None)),
]


@pytest.mark.parametrize(("name", "breaks", "loopback", "counters"), CASES, ids=[case[0] for case in CASES])
def test_each_fault_is_named_by_the_check_that_sees_it(
    name: str,
    breaks: list[Break],
    loopback: tuple[Outcome, str | None],
    counters: tuple[Outcome, str | None],
    p5en: InstanceType,
) -> None:
    """A device that is dead or slow, one that counts errors, and everything that proves nothing."""
    first, second = _both(_stage(*breaks), p5en)
    assert (first.outcome, first.cause) == loopback, f"{name}: {first.summary}"
    assert (second.outcome, second.cause) == counters, f"{name}: {second.summary}"


@pytest.mark.parametrize("answer", [{}, {"stages": None}, {"stages": {"efa_loopback": []}}])
def test_an_answer_without_the_stage_is_an_error(answer: dict[str, Any], p5en: InstanceType) -> None:
    """Not having run is not being well."""
    report = read_loopbacks(answer)
    assert efa_loopback.check(node="i-1", report=report, instance_type=p5en).outcome is E
    assert efa_counters.check(node="i-1", report=report, instance_type=p5en).outcome is E


def test_a_pass_says_that_it_is_relative_only(p5en: InstanceType) -> None:
    """The slowest rate beside what the neighbours allow, and where that comes from."""
    verdict = _both(_stage(_loop(3, mb_per_s=17000.0)), p5en)[0]
    assert "relative only" in verdict.summary
    assert (verdict.measured, verdict.expected, verdict.unit) == (17.0, 16.0, "GB/s")
    assert "relative only" in verdict.source


def test_devices_that_are_too_few_to_compare_are_not_tested() -> None:
    """One device has no neighbour, and no rate is published."""
    stage = host_texts.loopback_stage(NAMES[:1])
    verdict = _both(stage, instance_type("p5.4xlarge"))[0]
    assert verdict.outcome is Outcome.NOT_TESTED
    assert verdict.measured == 20.0


def test_the_only_device_that_carries_nothing_is_at_fault() -> None:
    """With one device none can be told apart from all, and the device is named."""
    stage = host_texts.loopback_stage(NAMES[:1])
    stage["loops"][0]["client"].update(REFUSED)
    verdict = _both(stage, instance_type("p5.4xlarge"))[0]
    assert (verdict.outcome, verdict.cause) == (F, "efa-device-faulty")


def test_a_missing_program_says_what_to_install(p5en: InstanceType) -> None:
    """No node is blamed for an image without the tools."""
    verdict = _both(_stage(*_all(lambda i: _client(i, **MISSING))), p5en)[0]
    assert "fi_pingpong" in verdict.remedy


def test_retransmissions_are_told_and_decide_nothing(p5en: InstanceType) -> None:
    """AWS publishes no limit for them."""
    verdict = _both(_stage(_loop(3, rise={"retrans_pkts": 12})), p5en)[1]
    assert verdict.outcome is P
    assert NAMES[3] in verdict.findings[0].text


def test_a_driver_without_the_counters_is_no_proof(p5en: InstanceType) -> None:
    """Counters that are not there did not stay at zero."""

    def strip(stage: dict[str, Any]) -> None:
        for reading in ("before", "after"):
            stage["loops"][3][reading].pop("retrans_timeout_events")

    assert _both(_stage(strip), p5en)[1].outcome is E
