"""Reading the JSON of DCGM 3 and DCGM 4."""

from __future__ import annotations

import json

import pytest

from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts


def _v3(test: object, **root: object) -> str:
    categories = [{"category": "Hardware", "tests": [test]}]
    return json.dumps({"DCGM GPU Diagnostic": {"test_categories": categories, **root}})


def test_dcgm_4_tells_tests_by_gpu() -> None:
    """Plugin names, entity ids, and versions from the sibling block."""
    diag = parse_dcgm_diag(texts.diag_v4())
    assert (diag.generation, diag.version, diag.driver) == (4, "4.3.1", "570.172.08")
    assert {(r.test, r.gpu) for r in diag.results} == {
        (name, gpu) for name in ("software", "memory", "pcie") for gpu in range(8)
    }
    assert diag.summaries == (("software", "pass"), ("memory", "pass"), ("pcie", "pass"))


def test_dcgm_3_tells_tests_by_human_names() -> None:
    """Names with blanks, GPU ids as strings, deployment tests for the whole node, and holes in the list."""
    diag = parse_dcgm_diag(texts.diag_v3(nulls=True))
    assert (diag.generation, diag.version, diag.driver) == (3, "3.3.9", "535.230.02")
    assert [r.gpu for r in diag.results if r.test.lower() == "gpu memory"] == list(range(8))
    assert [r.gpu for r in diag.results if r.test == "Persistence Mode"] == [None]


def test_a_banner_before_the_json_is_passed_over() -> None:
    """dcgmi may print text before its JSON."""
    banner = "Successfully ran diagnostic for group.\n"
    assert parse_dcgm_diag(texts.diag_v4(banner=banner)) == parse_dcgm_diag(texts.diag_v4())


@pytest.mark.parametrize(
    ("key", "value", "gpus"),
    [("gpu_id", "3", [3]), ("gpu_ids", "0,1,2", [0, 1, 2]), ("gpu_ids", 4, [4]), ("gpu_id", "", [None])],
)
def test_gpu_ids_come_as_number_string_or_list(key: str, value: object, gpus: list[int | None]) -> None:
    """Older versions name several GPUs in one string by comma, or one as a number."""
    diag = parse_dcgm_diag(_v3({"name": "GPU Memory", "results": [{key: value, "status": "PASS"}]}))
    assert [r.gpu for r in diag.results] == gpus
    assert {r.status for r in diag.results} == {"pass"}


def test_warnings_come_as_strings_and_as_objects() -> None:
    """Up to 3.1 a string, later an object with error and severity."""
    plain = parse_dcgm_diag(
        _v3({"name": "PCIe", "results": [{"gpu_id": "0", "status": "Fail", "warnings": "slow bus"}]})
    )
    assert [(w.text, w.severity) for w in plain.results[0].warnings] == [("slow bus", None)]
    warning = {"warning": "off", "error_id": "29", "error_severity": 5}
    rich = parse_dcgm_diag(
        _v3({"name": "PCIe", "results": [{"gpu_id": "0", "status": "Fail", "warnings": [warning, None]}]})
    )
    assert [(w.text, w.error_id, w.severity) for w in rich.results[0].warnings] == [("off", 29, 5)]


@pytest.mark.parametrize(
    ("word", "status"),
    [("Pass", "pass"), ("PASS", "pass"), ("Not Run", "not-run"), ("Splendid", "unknown"), (None, "unknown")],
)
def test_a_status_that_is_not_known_is_unknown(word: object, status: str) -> None:
    """Only DCGM's own words count; another word is no pass."""
    diag = parse_dcgm_diag(_v3({"name": "PCIe", "results": [{"gpu_id": "0", "status": word}]}))
    assert diag.results[0].status == status


def test_results_of_cpus_are_no_results_of_gpus() -> None:
    """An entity group other than GPU does not cover a GPU."""
    text = texts.diag_v4(gpus=1).replace('"entity_group": "GPU"', '"entity_group": "CPU"')
    with pytest.raises(ParseError, match="no result"):
        parse_dcgm_diag(text)


def test_what_stopped_a_run_is_kept() -> None:
    """A runtime error comes without any test."""
    diag = parse_dcgm_diag(json.dumps({"DCGM Diagnostic": {"runtime_error": "the host engine went away"}}))
    assert (diag.results, diag.runtime_error) == ((), "the host engine went away")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Error: Unable to connect to host engine.",
        texts.diag_v4()[:900],
        '{"DCGM Diagnostic": {"test_categories": []}}',
        '{"DCGM Diagnostic": {"test_categories": {}}, "DCGM Diagnostic": {}}',
        '{"Some Diagnostic": {"test_categories": []}}',
        "[1, 2]",
        _v3({"name": "PCIe", "results": [{"gpu_id": "all", "status": "Pass"}]}),
        _v3({"results": [{"gpu_id": "0", "status": "Pass"}]}),
        "{" * 100_000,
        texts.diag_v4() + texts.diag_v4(),
        json.dumps({**json.loads(texts.diag_v4()), **json.loads(texts.diag_v3())}),
    ],
)
def test_what_is_no_diagnostic_is_refused(text: str) -> None:
    """Banner without JSON, cut JSON, another root or both, no tests, doubled keys, two runs: never an empty
    pass, nor one of two that is taken for both.
    """
    with pytest.raises(ParseError, match="dcgmi diag"):
        parse_dcgm_diag(text)
