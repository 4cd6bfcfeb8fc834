"""DCG-001's findings from DCGM's background watches."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.checks.dcgm_level_1 import health_findings, unread_health, with_health
from bedplate.diagnosis.parsers.dcgmi_health import HealthReport, parse_dcgmi_health
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Outcome, Subject, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis.gpu_texts import REPLAYS, health

UNSET = "Error: Health watches not enabled. Please enable watches. \n"
IMEX = (
    ("GPU", ""),
    ("-> 0", "Failure"),
    ("   -> Errors", ""),
    ("      -> NVLINK system", "Failure"),
    ("", "IMEX domain status is DOWN (unhealthy)"),
)


def _ask(text: str, kind: InstanceType, problem: str = "") -> list[Finding]:
    return health_findings(Reading(parse_dcgmi_health(text), problem), kind)


def test_what_the_watches_saw_is_a_finding(p5en: InstanceType) -> None:
    """With its part, its system and its words, critical where DCGM calls it a failure."""
    found = _ask(health(overall="Warning", rows=REPLAYS), p5en)
    assert [(each.severity.value, "PCIe replays" in each.text) for each in found] == [("warning", True)]
    failed = tuple((left, "Failure" if right == "Warning" else right) for left, right in REPLAYS)
    assert _ask(health(overall="Failure", rows=failed), p5en)[0].severity.value == "critical"


@pytest.mark.parametrize(
    ("tests", "overall", "outcome", "cause"),
    [
        (Outcome.PASS, "Failure", Outcome.FAIL, "dcgm-hardware"),
        (Outcome.PASS, "Warning", Outcome.PASS, None),
        (Outcome.ERROR, "Failure", Outcome.ERROR, None),
        (Outcome.NOT_TESTED, "Failure", Outcome.NOT_TESTED, None),
    ],
)
def test_a_failure_of_the_watches_is_no_pass(
    tests: Outcome, overall: str, outcome: Outcome, cause: str | None, p5en: InstanceType
) -> None:
    """A warning rides on a pass; a failure turns it; what is no pass stays what it is, with the finding."""
    rows = tuple((left, overall if right == "Warning" else right) for left, right in REPLAYS)
    verdict = Verdict("DCG-001", Subject("node", ("i-1",)), tests, "x")
    judged = with_health(verdict, _ask(health(overall=overall, rows=rows), p5en))
    assert (judged.outcome, judged.cause) == (outcome, cause)
    assert len(judged.findings) == 1


@pytest.mark.parametrize("text", [health(), UNSET])
def test_watches_that_saw_nothing_or_were_never_set_say_nothing(text: str, p5en: InstanceType) -> None:
    """Also where the tool ended badly, as it does without watches."""
    assert _ask(text, p5en, "ended with status 255") == []
    assert health_findings(Reading(None, "no such file"), p5en) == []


@pytest.mark.parametrize(
    ("reading", "outcome"),
    [
        (Reading(parse_dcgmi_health(health())), Outcome.PASS),
        (Reading(parse_dcgmi_health(UNSET), "ended with status 255"), Outcome.PASS),
        (Reading(parse_dcgmi_health(health()), "ended with status 255"), Outcome.ERROR),
        (Reading(None, "`dcgmi health` did not run"), Outcome.ERROR),
    ],
)
def test_watches_that_cannot_be_read_are_no_pass(reading: Reading[HealthReport], outcome: Outcome) -> None:
    """They might tell of a failure; that none was set is an answer, though it comes with a bad status."""
    verdict = Verdict("DCG-001", Subject("node", ("i-1",)), Outcome.PASS, "x")
    judged = with_health(verdict, [], unread=unread_health(reading))
    assert judged.outcome is outcome
    assert judged.summary.endswith(reading.problem if outcome is Outcome.ERROR else "x")


def test_what_the_watches_do_not_tell_changes_no_fail() -> None:
    """A test that failed stays the reason."""
    verdict = Verdict("DCG-001", Subject("node", ("i-1",)), Outcome.FAIL, "x", cause="dcgm-hardware")
    assert with_health(verdict, [], unread="it timed out") == verdict


def test_imex_counts_on_ultraservers_only(p5en: InstanceType) -> None:
    """On a machine with NVSwitches of its own DCGM reports an IMEX that nobody needs."""
    text = health(overall="Failure", rows=IMEX)
    assert _ask(text, p5en) == []
    assert _ask(text.replace("IMEX domain", "The IMEX domain"), p5en) == []
    assert len(_ask(text, instance_type("p6e-gb200.36xlarge"))) == 1


def test_a_failure_that_nothing_explains_is_one(p5en: InstanceType) -> None:
    """The whole is called failed, and no part says why."""
    assert [each.severity.value for each in _ask(health(overall="Failure"), p5en)] == ["critical"]
