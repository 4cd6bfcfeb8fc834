"""GPU-005: width and speed of each GPU's PCIe link."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.checks import gpu_pcie
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis.gpu_texts import LINK, gpu_details

WIDTH, WIDTH_MAX = f"{LINK}link_widths/current_link_width", f"{LINK}link_widths/max_link_width"
SPEED, SPEED_MAX = f"{LINK}pcie_gen/current_link_gen", f"{LINK}pcie_gen/max_link_gen"


def _ask(text: str, kind: InstanceType, problem: str = "") -> Verdict:
    reading = Reading(parse_nvidia_smi_xml(text), problem)
    return gpu_pcie.check(node="i-1", details=reading, instance_type=kind)


def test_links_at_their_best_pass(p5en: InstanceType) -> None:
    """Sixteen lanes each, at the driver's own maximum."""
    verdict = _ask(gpu_details(), p5en)
    assert (verdict.outcome, verdict.measured, verdict.findings) == (Outcome.PASS, 16, ())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({WIDTH: "8x"}, "8 of 16 lanes"),
        ({WIDTH: "8x", WIDTH_MAX: "8x"}, "8 of 16 lanes"),
        ({SPEED: "3"}, "generation 3 of 5 in P0"),
        ({SPEED: "4", SPEED_MAX: "4"}, "pcie_generation_max is 4, its neighbours have 5"),
    ],
)
def test_a_link_below_what_it_can_do_fails(change: dict[str, str], words: str, p5en: InstanceType) -> None:
    """Narrower than its maximum or than the model's least, slower in P0, or less able than its neighbours."""
    for problem in ("", "ended with status 1"):
        verdict = _ask(gpu_details(changes={3: change}), p5en, problem)
        assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "pcie-degraded")
        assert words in verdict.excerpt


def test_a_link_that_rests_is_a_finding(p5en: InstanceType) -> None:
    """Outside the highest performance state a link lowers its speed to save power."""
    verdict = _ask(gpu_details(changes={3: {SPEED: "1", "performance_state": "P8"}}), p5en)
    assert (verdict.outcome, [each.severity.value for each in verdict.findings]) == (Outcome.PASS, ["info"])


def test_replayed_packets_are_a_finding(p5en: InstanceType) -> None:
    """Errors that the link repaired."""
    verdict = _ask(gpu_details(changes={3: {"pci/replay_counter": "7"}}), p5en)
    assert (verdict.outcome, verdict.findings[0].severity.value) == (Outcome.PASS, "warning")


@pytest.mark.parametrize("path", [WIDTH, WIDTH_MAX, SPEED, SPEED_MAX, "performance_state"])
@pytest.mark.parametrize("word", [None, "N/A"])
def test_a_gpu_that_does_not_tell_is_an_error(path: str, word: str | None, p5en: InstanceType) -> None:
    """A word that is missing, or has no answer, proves nothing."""
    assert _ask(gpu_details(changes={3: {path: word}}), p5en).outcome is Outcome.ERROR


def test_details_of_fewer_gpus_are_an_error(p5en: InstanceType) -> None:
    """Seven of eight, or a list that contradicts its own number, or none at all."""
    assert _ask(gpu_details(gpus=7), p5en).outcome is Outcome.ERROR
    assert _ask(gpu_details(attached=7), p5en).outcome is Outcome.ERROR
    nothing = gpu_pcie.check(node="i-1", details=Reading(None, "it is empty"), instance_type=p5en)
    assert nothing.outcome is Outcome.ERROR


def test_a_tool_that_ended_badly_proves_nothing(p5en: InstanceType) -> None:
    """Healthy words with a bad status."""
    assert _ask(gpu_details(), p5en, "ended with status 1").outcome is Outcome.ERROR


def test_without_a_sourced_width_the_driver_is_asked_alone() -> None:
    """NVIDIA's table asks for one lane of a B300: its own maximum counts."""
    narrow = gpu_details(every={WIDTH: "8x", WIDTH_MAX: "8x"})
    verdict = _ask(narrow, instance_type("p6-b300.48xlarge"))
    assert (verdict.outcome, verdict.measured) == (Outcome.PASS, 8)
    assert _ask(narrow, instance_type("p5.48xlarge")).outcome is Outcome.FAIL
