"""GPU-006: heat, power and settings that hold clocks back."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.checks import gpu_clocks
from bedplate.diagnosis.parsers.nvidia_smi_details import REASONS
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType
from tests.diagnosis.gpu_texts import DETAILS, REASON, gpu_details

POWER, CLOCK = "gpu_power_readings/current_power_limit", "applications_clocks/graphics_clock"
COUNTERS = "clocks_event_reasons_counters/clocks_event_reasons_counters_"


def _ask(text: str, kind: InstanceType, problem: str = "") -> Verdict:
    reading = Reading(parse_nvidia_smi_xml(text), problem)
    return gpu_clocks.check(node="i-1", details=reading, instance_type=kind)


def test_gpus_that_nothing_holds_back_pass(p5en: InstanceType) -> None:
    """Idle is no reason to worry."""
    verdict = _ask(gpu_details(), p5en)
    assert (verdict.outcome, verdict.measured, verdict.findings) == (Outcome.PASS, 0, ())


@pytest.mark.parametrize("reason", ["hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown"])
def test_heat_and_the_power_brake_fail(reason: str, p5en: InstanceType) -> None:
    """Each names the hardware, also where the tool ended badly."""
    for problem in ("", "ended with status 1"):
        verdict = _ask(gpu_details(changes={2: {REASON + reason: "Active"}}), p5en, problem)
        assert (verdict.outcome, verdict.cause, verdict.measured) == (Outcome.FAIL, "gpu-throttled", 1)


@pytest.mark.parametrize(
    "change", [{POWER: "350.00 W"}, {CLOCK: "1200 MHz"}, {"max_clocks/sm_clock": "1700 MHz"}]
)
def test_a_limit_that_somebody_set_fails_as_a_setting(change: dict[str, str], p5en: InstanceType) -> None:
    """Power below its default, clocks below theirs, or one GPU that can do less than the others."""
    verdict = _ask(gpu_details(changes={2: change}), p5en)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "gpu-clocks-limited")
    assert "do not drain" in verdict.remedy


def test_heat_is_named_before_a_limit(p5en: InstanceType) -> None:
    """The hardware is the graver matter; the setting stays in the excerpt."""
    both = {2: {REASON + "hw_thermal_slowdown": "Active"}, 3: {POWER: "350.00 W"}}
    verdict = _ask(gpu_details(changes=both), p5en)
    assert (verdict.cause, len(verdict.excerpt.splitlines())) == ("gpu-throttled", 2)


@pytest.mark.parametrize(
    ("change", "severity"),
    [
        ({REASON + "hw_slowdown": "Active"}, "warning"),
        ({REASON + "sw_power_cap": "Active"}, "info"),
        ({COUNTERS + "hw_therm_slowdown": "91403239 us"}, "warning"),
        ({COUNTERS + "hw_power_brake": "5 us"}, "warning"),
    ],
)
def test_what_may_pass_is_a_finding(change: dict[str, str], severity: str, p5en: InstanceType) -> None:
    """A slowdown without heat or brake, the power limit reached, and what was counted before."""
    verdict = _ask(gpu_details(changes={2: change}), p5en)
    assert (verdict.outcome, [each.severity.value for each in verdict.findings]) == (Outcome.PASS, [severity])


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_that_is_not_told_is_an_error(reason: str, p5en: InstanceType) -> None:
    """Silence about heat is not the absence of heat."""
    assert _ask(gpu_details(changes={2: {REASON + reason: None}}), p5en).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "path", [POWER, "gpu_power_readings/default_power_limit", "max_clocks/sm_clock", CLOCK]
)
def test_a_limit_that_is_not_told_is_an_error(path: str, p5en: InstanceType) -> None:
    """A limit without its default, or a default without the limit."""
    assert _ask(gpu_details(changes={2: {path: None}}), p5en).outcome is Outcome.ERROR


def test_drivers_without_application_clocks_are_judged_without_them(p5en: InstanceType) -> None:
    """Newer ones say that they are deprecated, of both values."""
    gone = dict.fromkeys((CLOCK, "default_" + CLOCK), "Requested functionality has been deprecated")
    assert _ask(gpu_details(every=gone), p5en).outcome is Outcome.PASS


def test_drivers_before_535_are_read_by_their_old_names(p5en: InstanceType) -> None:
    """The elements were called throttle reasons, and power readings had another name."""
    old = gpu_details().replace("clocks_event_reason", "clocks_throttle_reason")
    old = old.replace("gpu_power_readings", "power_readings").replace("current_power_limit", "power_limit")
    assert "clocks_event_reason" not in old
    assert _ask(old, p5en).outcome is Outcome.PASS
    hot = "clocks_throttle_reason_hw_thermal_slowdown>"
    assert _ask(old.replace(f"<{hot}Not Active", f"<{hot}Active"), p5en).cause == "gpu-throttled"


def test_details_that_are_not_whole_are_an_error(p5en: InstanceType) -> None:
    """Seven of eight GPUs, a bad status, or nothing."""
    assert _ask(gpu_details(gpus=7), p5en).outcome is Outcome.ERROR
    assert _ask(gpu_details(), p5en, "ended with status 1").outcome is Outcome.ERROR
    nothing = gpu_clocks.check(node="i-1", details=Reading(None, "it is empty"), instance_type=p5en)
    assert nothing.outcome is Outcome.ERROR
    assert set(DETAILS) >= {POWER, CLOCK}
