"""DCG-001 and DCG-002: a pass needs every test on every GPU."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.diagnosis.checks import dcgm_level_1, dcgm_level_2
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType
from tests.diagnosis import texts


def _ask(text: str, kind: InstanceType, problem: str = "") -> tuple[Verdict, Verdict]:
    reading = Reading(parse_dcgm_diag(text), problem)
    return (
        dcgm_level_1.check(node="i-1", diag=reading, instance_type=kind),
        dcgm_level_2.check(node="i-1", diag=reading, instance_type=kind),
    )


def _warning(severity: int, error_id: int = 57) -> dict[str, Any]:
    return {"warning": "words", "error_id": error_id, "error_category": 2, "error_severity": severity}


@pytest.mark.parametrize("text", [texts.diag_v4(), texts.diag_v3(), texts.diag_v3(nulls=True)])
def test_a_whole_run_of_either_version_passes_both_levels(text: str, p5en: InstanceType) -> None:
    """DCGM 3 and DCGM 4, each with its own names."""
    assert [verdict.outcome for verdict in _ask(text, p5en)] == [Outcome.PASS, Outcome.PASS]


def test_a_run_at_level_1_does_not_pass_level_2(p5en: InstanceType) -> None:
    """Tests that are not in the answer were not run."""
    for text in (texts.diag_v4(level=1), texts.diag_v3(level=1)):
        first, second = _ask(text, p5en)
        assert (first.outcome, second.outcome) == (Outcome.PASS, Outcome.ERROR)


@pytest.mark.parametrize("text", [texts.diag_v4(gpus=7), texts.diag_v3(gpus=7)])
def test_a_gpu_that_is_not_covered_is_an_error(text: str, p5en: InstanceType) -> None:
    """Seven passes of eight."""
    verdict = _ask(text, p5en)[1]
    assert verdict.outcome is Outcome.ERROR
    assert "GPU 7" in verdict.summary


@pytest.mark.parametrize("severity", [2, 4, 6])
def test_a_failed_hardware_test_names_the_gpu(severity: int, p5en: InstanceType) -> None:
    """Memory fails on GPU 5; level 1 of the same run stands."""
    text = texts.diag_v4(changes={("memory", 5): ("Fail", [_warning(severity)])})
    first, second = _ask(text, p5en, problem="ended with status 226")
    assert (second.outcome, second.cause) == (Outcome.FAIL, "dcgm-hardware")
    assert second.summary == "DCGM failed memory on GPU 5"
    assert first.outcome is Outcome.ERROR


def test_severity_5_is_configuration_and_no_reason_to_drain(p5en: InstanceType) -> None:
    """DCGM 4 fails persistence mode on every GPU."""
    changes = {("software", gpu): ("Fail", [_warning(5, error_id=29)]) for gpu in range(8)}
    verdict = _ask(texts.diag_v4(changes=changes), p5en, problem="ended with status 226")[0]
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "dcgm-configuration")
    assert "do not drain" in verdict.remedy


def test_configuration_beside_hardware_does_not_hide_it(p5en: InstanceType) -> None:
    """The hardware is the cause, the setting a finding."""
    changes = {
        ("software", 0): ("Fail", [_warning(5, error_id=29)]),
        ("software", 1): ("Fail", [_warning(2, error_id=80)]),
    }
    verdict = _ask(texts.diag_v4(changes=changes), p5en)[0]
    assert (verdict.cause, len(verdict.findings)) == ("dcgm-hardware", 1)


def test_in_version_3_settings_are_known_by_name(p5en: InstanceType) -> None:
    """No severity there: persistence mode is a setting, a row remap is not."""
    assert _ask(texts.diag_v3(statuses={"Persistence Mode": "Fail"}), p5en)[0].cause == "dcgm-configuration"
    assert (
        _ask(texts.diag_v3(statuses={"Page Retirement/Row Remap": "Fail"}), p5en)[0].cause == "dcgm-hardware"
    )
    assert _ask(texts.diag_v3(statuses={"Environment Variables": "Warn"}), p5en)[0].outcome is Outcome.PASS
    assert _ask(texts.diag_v3(statuses={"GPU Memory": "Warn"}), p5en)[1].outcome is Outcome.FAIL


@pytest.mark.parametrize("status", ["Skip", "Not Run", "Splendid"])
def test_a_skipped_test_is_not_a_pass(status: str, p5en: InstanceType) -> None:
    """A part that DCGM does not know skips everything."""
    text = texts.diag_v4(changes={("pcie", gpu): (status, []) for gpu in range(8)})
    assert _ask(text, p5en)[1].outcome is Outcome.NOT_TESTED
    assert _ask(texts.diag_v3(statuses={"PCIe": status}), p5en)[1].outcome is Outcome.NOT_TESTED


def test_an_unknown_status_of_a_test_that_nobody_asked_for_is_no_pass(p5en: InstanceType) -> None:
    """A newer DCGM runs a test of its own, and says a word about it that is in no schema."""
    document = json.loads(texts.diag_v4())
    results = [{"entity_group": "GPU", "entity_id": gpu, "status": "Splendid"} for gpu in range(8)]
    extra = {"category": "Integration", "tests": [{"name": "nvbandwidth", "results": results}]}
    document["DCGM Diagnostic"]["test_categories"].append(extra)
    verdict = _ask(json.dumps(document), p5en)[1]
    assert (verdict.outcome, "status that is not known" in verdict.summary) == (Outcome.ERROR, True)


@pytest.mark.parametrize(("severity", "told"), [(1, "warning"), (2, "critical")])
def test_warnings_on_a_pass_are_findings(severity: int, told: str, p5en: InstanceType) -> None:
    """The memory test records an allocation error and still passes."""
    text = texts.diag_v4(changes={("memory", 2): ("Pass", [_warning(severity, error_id=56)])})
    verdict = _ask(text, p5en)[1]
    assert (verdict.outcome, [finding.severity.value for finding in verdict.findings]) == (
        Outcome.PASS,
        [told],
    )


def test_a_bad_status_without_a_failed_test_is_an_error(p5en: InstanceType) -> None:
    """205 beside nine passes is no pass; 217 means that another run was under way."""
    assert [v.outcome for v in _ask(texts.diag_v4(), p5en, problem="ended with status 205")] == [
        Outcome.ERROR
    ] * 2
    busy = _ask(texts.diag_v4(), p5en, problem="`dcgmi diag -r` ended with status 217: in use")[1]
    assert "validate it again" in busy.remedy


def test_a_run_that_stopped_and_one_that_cannot_be_read_are_errors(p5en: InstanceType) -> None:
    """A runtime error, and no record at all."""
    stopped = '{"DCGM Diagnostic": {"runtime_error": "the host engine went away"}}'
    assert [verdict.outcome for verdict in _ask(stopped, p5en)] == [Outcome.ERROR, Outcome.ERROR]
    unread = dcgm_level_2.check(node="i-1", diag=Reading(None, "its JSON is cut"), instance_type=p5en)
    assert (unread.outcome, "its JSON is cut" in unread.summary) == (Outcome.ERROR, True)


def test_a_summary_that_contradicts_its_results_is_an_error(p5en: InstanceType) -> None:
    """DCGM 4's own summary says Fail over passes."""
    text = texts.diag_v4().replace(
        '"test_summary": {\n              "status": "Pass"',
        '"test_summary": {\n              "status": "Fail"',
    )
    assert text != texts.diag_v4()
    assert _ask(text, p5en)[1].outcome is Outcome.ERROR
