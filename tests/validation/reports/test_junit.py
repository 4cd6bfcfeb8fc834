"""JUnit XML: red in a CI system exactly where the run is not passed."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.judgement import judge
from bedplate.validation.reports.junit import render_junit
from bedplate.validation.result import RunResult, Waiver
from tests.validation.reports.sample_run import faulty_run, healthy_run


def _red(run: RunResult) -> int:
    root = ElementTree.fromstring(render_junit(run))
    return int(root.attrib["failures"]) + int(root.attrib["errors"])


def test_a_passed_run_is_green_and_complete() -> None:
    """A passed run has a test case for every verdict and one for the run, none of them red."""
    run = healthy_run()
    root = ElementTree.fromstring(render_junit(run))
    assert _red(run) == 0
    assert len(root.findall(".//testcase")) == len(run.verdicts) + 1


def test_faults_errors_and_waivers_are_told_apart() -> None:
    """A fail is a failure, what could not be made is an error, a waived check is skipped with its reason."""
    root = ElementTree.fromstring(render_junit(faulty_run()))
    assert {f.attrib["type"] for f in root.iter("failure")} == {
        "efa-device-lost",
        "xid-64",
        "efa-device-slow",
        "NCL-003",
    }
    assert {e.attrib["type"] for e in root.iter("error")} == {"not passed", "error", "not-tested"}
    assert all("waived: Level 2" in s.attrib["message"] for s in root.iter("skipped"))
    assert "SIMULATED" in (root.findtext(".//system-out") or "")


def test_a_missing_verdict_is_an_error() -> None:
    """A required check without a verdict is a red test case of its own."""
    run = healthy_run()
    root = ElementTree.fromstring(render_junit(run.model_copy(update={"verdicts": run.verdicts[1:]})))
    assert [e.attrib["type"] for e in root.iter("error")] == ["not passed", "missing"]


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    """A log with escape codes and null bytes still gives XML that a parser reads."""
    run = healthy_run(nodes=1)
    dirty = replace(
        run.verdicts[0], outcome=Outcome.FAIL, summary="\x1b[31mred\x00 <&>", excerpt="\x07 ]]> \ud800"
    )
    root = ElementTree.fromstring(
        render_junit(run.model_copy(update={"verdicts": [dirty, *run.verdicts[1:]]}))
    )
    assert [f.attrib["message"] for f in root.iter("failure")] == ["\ufffd[31mred\ufffd <&>"]


@given(
    outcomes=st.lists(st.sampled_from(list(Outcome)), min_size=14, max_size=14),
    keep=st.integers(0, 14),
    waived=st.booleans(),
    complete=st.booleans(),
)
def test_red_exactly_where_the_run_is_not_passed(
    outcomes: list[Outcome], keep: int, waived: bool, complete: bool
) -> None:
    """Whatever a run holds, its XML has a failure or an error if and only if the run is not passed."""
    run = healthy_run(nodes=1)
    verdicts = [replace(v, outcome=o) for v, o in zip(run.verdicts, outcomes, strict=True)][:keep]
    waivers = [Waiver(check_id="GPU-001", reason="known")] if waived else []
    mixed = run.model_copy(update={"verdicts": verdicts, "complete": complete, "waivers": waivers})
    assert (_red(mixed) == 0) is judge(result=mixed).passed
