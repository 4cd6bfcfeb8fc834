"""DCG-001 and DCG-002: a pass needs every test on every GPU."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.diagnosis.checks.dcgm_levels import LEVELS, check_level
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType
from tests.diagnosis import texts


def _ask(text: str, kind: InstanceType, problem: str = "") -> tuple[Verdict, Verdict]:
    reading = Reading(parse_dcgm_diag(text), problem)
    return (_level(1, reading, kind), _level(2, reading, kind))


def _level(level: int, diag: Reading[DcgmDiag], kind: InstanceType, *, asked: int = 2) -> Verdict:
    return check_level(
        level=level, asked=asked, check_id=f"DCG-00{level}", node="i-1", diag=diag, instance_type=kind
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


@pytest.mark.parametrize(
    ("summary", "outcome", "findings"),
    [
        ({"status": "Pass"}, Outcome.PASS, 0),
        ({"status": "Warn"}, Outcome.PASS, 0),
        ({"status": "Pass", "warnings": [_warning(1, error_id=56)]}, Outcome.PASS, 1),
        ({"status": "Warn", "warnings": [_warning(1, error_id=56)]}, Outcome.PASS, 1),
        ({"status": "Warn", "warnings": [_warning(2, error_id=57)]}, Outcome.FAIL, 0),
        ({"status": "Fail", "warnings": [_warning(2, error_id=57)]}, Outcome.FAIL, 0),
        ({"status": "Fail"}, Outcome.ERROR, 0),
        ({"status": "Skip"}, Outcome.ERROR, 0),
        ({"status": "Not Run"}, Outcome.ERROR, 0),
        ({"status": "Skip", "warnings": [_warning(1, error_id=56)]}, Outcome.NOT_TESTED, 0),
    ],
)
def test_what_the_summary_of_a_test_says_counts(
    summary: dict[str, Any], outcome: Outcome, findings: int, p5en: InstanceType
) -> None:
    """What DCGM ties to no GPU stands there alone; a summary that says worse than its results is no pass."""
    document = json.loads(texts.diag_v4())
    tests = [test for each in document["DCGM Diagnostic"]["test_categories"] for test in each["tests"]]
    next(test for test in tests if test["name"] == "memory")["test_summary"] = summary
    verdict = _ask(json.dumps(document), p5en)[1]
    assert (verdict.outcome, len(verdict.findings)) == (outcome, findings)


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
    unread = _level(2, Reading(None, "its JSON is cut"), p5en)
    assert (unread.outcome, "its JSON is cut" in unread.summary) == (Outcome.ERROR, True)


def test_a_summary_that_contradicts_its_results_is_an_error(p5en: InstanceType) -> None:
    """DCGM 4's own summary says Fail over passes."""
    text = texts.diag_v4().replace(
        '"test_summary": {\n              "status": "Pass"',
        '"test_summary": {\n              "status": "Fail"',
    )
    assert text != texts.diag_v4()
    assert _ask(text, p5en)[1].outcome is Outcome.ERROR


LEVEL_TESTS = {
    3: ("diagnostic", "memory_bandwidth", "targeted_power", "targeted_stress"),
    4: ("memtest", "pulse_test"),
}


@pytest.mark.parametrize("level", [3, 4])
def test_a_whole_run_passes_every_level_up_to_its_own(level: int, p5en: InstanceType) -> None:
    """Level 3 adds stress, level 4 the long tests; each answers for its own."""
    reading = Reading(parse_dcgm_diag(texts.diag_v4(level=level)))
    for each in range(1, level + 1):
        assert _level(each, reading, p5en, asked=level).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("level", "test"), [(level, test) for level in (3, 4) for test in LEVEL_TESTS[level]]
)
@pytest.mark.parametrize(
    ("status", "outcome", "cause"),
    [
        ("Fail", Outcome.FAIL, "dcgm-hardware"),
        ("Skip", Outcome.NOT_TESTED, None),
        (None, Outcome.ERROR, None),
    ],
)
def test_each_test_of_the_higher_levels_counts(
    level: int, test: str, status: str | None, outcome: Outcome, cause: str | None, p5en: InstanceType
) -> None:
    """It fails its own level and no other; skipped or left out on one GPU it is no pass of it."""
    text = texts.diag_v4(level=level, changes={(test, 6): (status or "Pass", [])})
    if status is None:
        text = text.replace(f'"name": "{test}"', '"name": "something_else"')
    reading = Reading(parse_dcgm_diag(text))
    verdict = _level(level, reading, p5en, asked=level)
    assert (verdict.outcome, verdict.cause) == (outcome, cause)
    assert _level(2, reading, p5en, asked=level).outcome is Outcome.PASS


def test_a_run_at_level_2_passes_neither_3_nor_4(p5en: InstanceType) -> None:
    """What was not asked for is not in the answer."""
    reading = Reading(parse_dcgm_diag(texts.diag_v4(level=2)))
    assert [_level(each, reading, p5en, asked=each).outcome for each in (3, 4)] == [Outcome.ERROR] * 2


def test_what_dcgm_may_leave_out_is_a_finding(p5en: InstanceType) -> None:
    """nvbandwidth that was skipped does not decide; one that failed does."""
    for status, outcome in (("Skip", Outcome.PASS), ("Fail", Outcome.FAIL)):
        document = json.loads(texts.diag_v4(level=3))
        results = [{"entity_group": "GPU", "entity_id": gpu, "status": status} for gpu in range(8)]
        extra = {"category": "Hardware", "tests": [{"name": "nvbandwidth", "results": results}]}
        document["DCGM Diagnostic"]["test_categories"].append(extra)
        verdict = _level(3, Reading(parse_dcgm_diag(json.dumps(document))), p5en, asked=3)
        assert verdict.outcome is outcome
        assert len(verdict.findings) == (8 if outcome is Outcome.PASS else 0)


def test_a_table_is_judged_like_json(p5en: InstanceType) -> None:
    """DCGM 3's own table of level 2: all pass, one GPU fails, one is skipped."""
    for value, outcome in (
        ("Pass - All", Outcome.PASS),
        ("Fail - GPU: 3", Outcome.FAIL),
        ("Skip - All", Outcome.NOT_TESTED),
        ("Pass - GPUs: 0, 1, 2, 3, 4, 5, 6", Outcome.ERROR),
    ):
        reading = Reading(parse_dcgm_diag(texts.diag_table(memory=value)))
        assert _level(2, reading, p5en).outcome is outcome
        assert _level(1, reading, p5en).outcome is Outcome.PASS


def _v3_of_all_levels(test: str, results: list[dict[str, Any]]) -> str:
    """DCGM 3 at level 4, each hardware test with a result a GPU, but for ``test``."""
    document = json.loads(texts.diag_v3(level=1))
    usual = [{"gpu_id": str(gpu), "status": "Pass"} for gpu in range(8)]
    tests = [
        {"name": names[0], "results": results if names[0] == test else usual}
        for level in (2, 3, 4)
        for names in LEVELS[level].v3
    ]
    document["DCGM GPU Diagnostic"]["test_categories"].append({"category": "Hardware", "tests": tests})
    return json.dumps(document)


@pytest.mark.parametrize(
    ("level", "test"), [(level, names[0]) for level in (2, 3, 4) for names in LEVELS[level].v3]
)
@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ([{"status": "Pass"}], Outcome.ERROR),
        ([{"status": "Pass"}, {"gpu_id": "0", "status": "Pass"}], Outcome.ERROR),
        ([{"gpu_id": "", "status": "Pass"}], Outcome.ERROR),
        ([{"status": "Fail"}], Outcome.FAIL),
        ([{"gpu_ids": "0,1,2,3,4,5,6", "status": "Pass"}], Outcome.ERROR),
        ([{"gpu_ids": "0,1,2,3,4,5,6,7", "status": "Pass"}], Outcome.PASS),
        ([{"gpu_ids": gpu, "status": "Pass"} for gpu in range(8)], Outcome.PASS),
    ],
)
def test_a_hardware_test_of_dcgm_3_counts_for_the_gpus_that_it_names(
    level: int, test: str, results: list[dict[str, Any]], outcome: Outcome, p5en: InstanceType
) -> None:
    """One result without a GPU proves none of them; the deployment tests have no GPU and pass, and no other
    level is touched.
    """
    reading = Reading(parse_dcgm_diag(_v3_of_all_levels(test, results)))
    for each in (1, 2, 3, 4):
        found = _level(each, reading, p5en, asked=4)
        assert found.outcome is (outcome if each == level else Outcome.PASS), found.summary


@pytest.mark.parametrize(
    ("value", "outcome"), [("Pass", Outcome.ERROR), ("Pass - All", Outcome.PASS), ("Fail", Outcome.FAIL)]
)
def test_a_table_says_itself_that_a_hardware_test_is_of_all_gpus(
    value: str, outcome: Outcome, p5en: InstanceType
) -> None:
    """``Pass - All`` names them, ``Pass`` alone does not; for deployment tests DCGM 3 prints it alone."""
    reading = Reading(parse_dcgm_diag(texts.diag_table(memory=value)))
    assert _level(2, reading, p5en).outcome is outcome
    assert _level(1, reading, p5en).outcome is Outcome.PASS


def test_all_in_a_table_of_dcgm_4_names_no_gpu(p5en: InstanceType) -> None:
    """DCGM 4 has a line for each GPU: what is gathered there is not its own."""
    table = texts.diag_table().replace("Pass - All", "GPU0: Pass", 1)
    diag = parse_dcgm_diag(table)
    assert (diag.generation, _level(2, Reading(diag), p5en).outcome) == (4, Outcome.ERROR)
