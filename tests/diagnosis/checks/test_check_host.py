"""CLK-001, NOD-003 and GDR-001 by tables of cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.diagnosis import host_tools
from bedplate.diagnosis.checks import clock_offset, gdrcopy, huge_pages
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import answers, host_texts, texts

P, F, E = Outcome.PASS, Outcome.FAIL, Outcome.ERROR


def _facts(kind: InstanceType, answer: dict[str, Any]) -> NodeFacts:
    return NodeFacts(node="i-1", answer=answer, instance_type=kind)


def _clock(kind: InstanceType, run: Any, **changes: Any) -> Verdict:
    judge = clock_offset.CHECK.judge
    assert judge is not None
    return judge(_facts(kind, answers.probe_answer(runs={host_tools.CLOCK: run}, **changes)))


CLOCKS: list[tuple[str, Any, Outcome, str | None]] = [
    ("right", host_texts.clock(), P, None),
    ("10 ms off", host_texts.clock(offset=0.0101), P, None),
    ("99 ms off", host_texts.clock(offset=-0.099), P, None),
    ("101 ms off", host_texts.clock(offset=-0.101), F, "clock-wrong"),
    ("loose", host_texts.clock(dispersion=0.2), F, "clock-wrong"),
    ("far", host_texts.clock(delay=0.3), F, "clock-wrong"),
    ("free", host_texts.clock(leap="Not synchronised"), F, "clock-wrong"),
    ("free, cut off", host_texts.clock(leap="Not syn"), E, None),
    ("leap second", host_texts.clock(leap="Insert second"), P, None),
    ("old", host_texts.clock(measured=host_texts.NOW_EPOCH - 3601), F, "clock-wrong"),
    ("younger than an hour", host_texts.clock(measured=host_texts.NOW_EPOCH - 3599), P, None),
    ("no daemon", texts.tool(host_tools.CLOCK, "506 Cannot talk to daemon\n", rc=1), E, None),
    ("bad status", texts.tool(host_tools.CLOCK, host_texts.clock(), rc=1), E, None),
    ("late", texts.tool(host_tools.CLOCK, host_texts.clock(), rc=None, timed_out=True), E, None),
    ("missing", None, E, None),
    ("silent", "", E, None),
]


@pytest.mark.parametrize(("name", "run", "outcome", "cause"), CLOCKS, ids=[case[0] for case in CLOCKS])
def test_a_clock_is_well_only_if_it_is_right_and_kept(
    name: str, run: Any, outcome: Outcome, cause: str | None, p5en: InstanceType
) -> None:
    """Limits from both sides, a source that is gone or silent for an hour, and tools that do not tell."""
    verdict = _clock(p5en, run)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), f"{name}: {verdict.summary}"


def test_ten_milliseconds_are_worth_a_finding(p5en: InstanceType) -> None:
    """It rides on the pass."""
    assert not _clock(p5en, host_texts.clock()).findings
    assert "10." in _clock(p5en, host_texts.clock(offset=0.0101)).findings[0].text


@pytest.mark.parametrize("moment", [None, 5, "yesterday", "2026-08-13T10:30:56"])
def test_an_answer_that_does_not_say_when_is_an_error(moment: Any, p5en: InstanceType) -> None:
    """Without it nobody knows how old chrony's last measurement is."""
    assert _clock(p5en, host_texts.clock(), finished_at=moment).outcome is E


@pytest.mark.parametrize(
    ("words", "remedy"),
    [("No such file or directory: 'chronyc'", "Install"), ("506 Cannot talk to daemon", "Start")],
)
def test_a_clock_that_does_not_tell_says_what_to_do(words: str, remedy: str, p5en: InstanceType) -> None:
    """A missing program and a daemon that is down are different things to mend."""
    run = texts.tool(host_tools.CLOCK, "", rc=1, stderr=words)
    assert _clock(p5en, run).remedy.startswith(remedy)


def _pages(kind: InstanceType, run: Any, meminfo: Any = host_texts.MEMINFO) -> Verdict:
    judge = huge_pages.CHECK.judge
    assert judge is not None
    files = {**answers.probe_answer()["files"], "meminfo": meminfo}
    return judge(_facts(kind, answers.probe_answer(runs={host_tools.HUGE_PAGES: run}, files=files)))


LARGE = "Hugepagesize:     524288 kB\n"
GIANT = "Hugepagesize:    1048576 kB\n"
SIXTEEN = "Hugepagesize:      16384 kB\n"
PAGES: list[tuple[str, Any, Any, Outcome, str | None]] = [
    ("enough", "5128\n", host_texts.MEMINFO, P, None),
    ("more", "21121\n", host_texts.MEMINFO, P, None),
    ("one too few", "5127\n", host_texts.MEMINFO, F, "huge-pages-missing"),
    ("none", "0\n", host_texts.MEMINFO, F, "huge-pages-missing"),
    ("as much in larger ones", "641\n", SIXTEEN, P, None),
    ("too little in larger ones", "640\n", SIXTEEN, F, "huge-pages-missing"),
    ("none of half a gibibyte", "0\n", LARGE, P, None),
    ("none of a gibibyte", "0\n", GIANT, P, None),
    ("no size", "5128\n", None, E, None),
    ("strange size", "5128\n", "Hugepagesize: x kB", E, None),
    ("no count", None, host_texts.MEMINFO, E, None),
    ("bad status", texts.tool(host_tools.HUGE_PAGES, "5128\n", rc=255), host_texts.MEMINFO, E, None),
]


@pytest.mark.parametrize(
    ("name", "run", "meminfo", "outcome", "cause"), PAGES, ids=[case[0] for case in PAGES]
)
def test_huge_pages_are_held_to_what_efa_nodes_set_aside(
    name: str, run: Any, meminfo: Any, outcome: Outcome, cause: str | None, p5en: InstanceType
) -> None:
    """By memory and not by number, and nothing is owed where EFA takes no page of that size."""
    verdict = _pages(p5en, run, meminfo)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), f"{name}: {verdict.summary}"


def test_pages_that_efa_does_not_take_are_told(p5en: InstanceType) -> None:
    """The pass says why nothing is owed."""
    assert "small pages" in _pages(p5en, "0\n", LARGE).findings[0].text


def test_a_type_without_efa_needs_no_huge_pages(p5en: InstanceType) -> None:
    """By the hardware table, not by the node's own word."""
    bare = replace(p5en, interfaces=())
    assert _pages(bare, "0\n").outcome is Outcome.NOT_APPLICABLE
    assert not huge_pages.CHECK.applies(bare, 2)


def _gdr(kind: InstanceType, module: Any = host_texts.GDRDRV, **runs: Any) -> Verdict:
    names = {"sanity": host_tools.GDRCOPY_SANITY, "copybw": host_tools.GDRCOPY_COPYBW}
    answer = answers.exercise_answer(runs={names[name]: run for name, run in runs.items()})
    answer["stages"] = {**answer["stages"], "gdrcopy": {"module": module}}
    judge = gdrcopy.CHECK.judge
    assert judge is not None
    return judge(_facts(kind, answer))


def _sanity(text: str, **changes: Any) -> dict[str, Any]:
    return texts.tool(host_tools.GDRCOPY_SANITY, text, **changes)


NO_DRIVER = "gdr_open error: Is gdrdrv driver installed and loaded?\n"
FAILED = host_texts.sanity(failed=("basic_with_tokens",))
GDR: list[tuple[str, dict[str, Any], Outcome, str | None]] = [
    ("well", {}, P, None),
    ("module of unknown version", {"module": ""}, P, None),
    ("module not loaded", {"module": None}, F, "gdrcopy-off"),
    ("module of no kind", {"module": 5}, E, None),
    ("a test fails", {"sanity": _sanity(FAILED, rc=1)}, F, "gdrcopy-off"),
    ("a test fails with status 0", {"sanity": FAILED}, F, "gdrcopy-off"),
    ("no driver", {"sanity": _sanity(FAILED, rc=1, stderr=NO_DRIVER)}, F, "gdrcopy-off"),
    ("well with a bad status", {"sanity": _sanity(host_texts.sanity(), rc=1)}, E, None),
    ("all waived", {"sanity": host_texts.sanity(total=2)}, E, None),
    ("not made", {"sanity": None}, E, None),
    ("cut", {"sanity": "Total: 28, Pas"}, E, None),
    ("no rate", {"copybw": ""}, E, None),
    ("rate not measured", {"copybw": None}, E, None),
]


@pytest.mark.parametrize(("name", "broken", "outcome", "cause"), GDR, ids=[case[0] for case in GDR])
def test_gdrcopy_is_well_only_if_its_own_tests_ran_and_passed(
    name: str, broken: dict[str, Any], outcome: Outcome, cause: str | None, p5en: InstanceType
) -> None:
    """A module that is not loaded, tests that fail, and tests that were not made."""
    verdict = _gdr(p5en, **broken)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), f"{name}: {verdict.summary}"


def test_waived_tests_and_rates_are_told(p5en: InstanceType) -> None:
    """They decide nothing."""
    verdict = _gdr(p5en)
    assert "2 tests were waived" in verdict.findings[0].text
    assert "9.64 GB/s" in verdict.excerpt


def test_gdrcopy_is_not_owed_where_the_type_has_no_gpudirect() -> None:
    """By the hardware table."""
    assert _gdr(instance_type("p5.4xlarge")).outcome is Outcome.NOT_APPLICABLE


def test_an_exercise_without_the_stage_tested_no_gdrcopy(p5en: InstanceType) -> None:
    """An old program, or one that was cut off, is an error and no fault."""
    answer = {**answers.exercise_answer(), "stages": {}}
    judge = gdrcopy.CHECK.judge
    assert judge is not None
    assert judge(_facts(p5en, answer)).outcome is E
