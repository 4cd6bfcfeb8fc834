"""GPU-007: persistence mode and the fabric manager."""

from __future__ import annotations

import pytest

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.checks import gpu_services
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.parsers.systemctl_show import parse_systemctl_show
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers
from tests.diagnosis.gpu_texts import FABRIC_MANAGER_RUNS, gpu_details


def _ask(
    text: str, kind: InstanceType, *, unit: str = FABRIC_MANAGER_RUNS, problem: str = "", units: str = ""
) -> Verdict:
    return gpu_services.check(
        node="i-1",
        details=Reading(parse_nvidia_smi_xml(text), problem),
        units=Reading(parse_systemctl_show(unit), units),
        instance_type=kind,
    )


def test_a_node_whose_services_run_passes(p5en: InstanceType) -> None:
    """Persistence mode on, fabric joined, manager active."""
    assert _ask(gpu_details(), p5en).outcome is Outcome.PASS


def test_persistence_mode_that_is_off_is_a_setting(p5en: InstanceType) -> None:
    """On one GPU or on all; the hardware is not at fault."""
    for changes in (
        {1: {"persistence_mode": "Disabled"}},
        {n: {"persistence_mode": "Disabled"} for n in range(8)},
    ):
        verdict = _ask(gpu_details(changes=changes), p5en)
        assert (verdict.outcome, verdict.cause, verdict.measured) == (
            Outcome.FAIL,
            "persistence-off",
            len(changes),
        )
        assert "do not drain" in verdict.remedy or "not drain" in verdict.remedy


@pytest.mark.parametrize("state", ["inactive", "failed", "activating"])
def test_a_fabric_manager_that_does_not_run_fails(state: str, p5en: InstanceType) -> None:
    """Whatever the GPUs still say of the fabric."""
    verdict = _ask(gpu_details(), p5en, unit=FABRIC_MANAGER_RUNS.replace("=active", f"={state}"))
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "fabric-manager-down")
    masked = _ask(gpu_details(), p5en, unit=FABRIC_MANAGER_RUNS.replace("loaded", "not-found"))
    assert masked.cause == "fabric-manager-down"


@pytest.mark.parametrize(
    "change", [{"fabric/state": "In Progress"}, {"fabric/state": "Not Started"}, {"fabric/status": "Failure"}]
)
def test_a_gpu_that_has_not_joined_the_fabric_fails(change: dict[str, str], p5en: InstanceType) -> None:
    """Training under way, not begun, or ended with an error."""
    verdict = _ask(gpu_details(changes={6: change}), p5en)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "fabric-manager-down")


@pytest.mark.parametrize("path", ["persistence_mode", "fabric/state", "fabric/status"])
def test_what_a_gpu_does_not_tell_is_an_error(path: str, p5en: InstanceType) -> None:
    """A missing word proves nothing."""
    assert _ask(gpu_details(changes={6: {path: None}}), p5en).outcome is Outcome.ERROR


def test_readings_with_a_problem_are_errors(p5en: InstanceType) -> None:
    """A bad status of either tool, or fewer GPUs."""
    assert _ask(gpu_details(), p5en, problem="ended with status 1").outcome is Outcome.ERROR
    assert _ask(gpu_details(), p5en, units="ended with status 1").outcome is Outcome.ERROR
    assert _ask(gpu_details(gpus=7), p5en).outcome is Outcome.ERROR
    nothing = Reading(None, "it is empty")
    verdict = gpu_services.check(node="i-1", details=nothing, units=Reading({}), instance_type=p5en)
    assert verdict.outcome is Outcome.ERROR


def test_types_without_switches_need_no_manager() -> None:
    """One GPU has no fabric at all; an UltraServer's fabric is managed outside the instance."""
    stopped = FABRIC_MANAGER_RUNS.replace("=active", "=inactive").replace("loaded", "not-found")
    alone = gpu_details(gpus=1, every={"fabric/state": "N/A", "fabric/status": "N/A"})
    assert _ask(alone, instance_type("p5.4xlarge"), unit=stopped).outcome is Outcome.PASS
    ultra = instance_type("p6e-gb200.36xlarge")
    assert _ask(gpu_details(gpus=4), ultra, unit=stopped).outcome is Outcome.PASS
    apart = gpu_details(gpus=4, changes={0: {"fabric/state": "In Progress"}})
    assert _ask(apart, ultra, unit=stopped).outcome is Outcome.FAIL


def test_a_type_without_a_manager_of_its_own_is_not_asked_for_one(p5en: InstanceType) -> None:
    """Where one is needed, an answer without its unit is an error."""
    assert gpu_services.CHECK.judge is not None
    for kind, outcome in ((instance_type("p6e-gb200.36xlarge"), Outcome.PASS), (p5en, Outcome.ERROR)):
        answer = answers.probe_answer(
            runs={
                gpu_tools.NVIDIA_SMI_DETAILS: gpu_details(gpus=kind.gpus),
                gpu_tools.FABRIC_MANAGER_UNIT: None,
            }
        )
        facts = NodeFacts(node="i-1", answer=answer, instance_type=kind)
        assert gpu_services.CHECK.judge(facts).outcome is outcome
