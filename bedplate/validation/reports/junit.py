"""A run as JUnit XML, for the CI systems that show test results.

One suite a node, one for the cluster, and one for the run itself. A check that could not be made is an
error, never a skip, since CI systems show a skip in green; skips are waived checks and those that do not
apply to the type. The file holds a failure or an error exactly where the run is not passed.
"""

from __future__ import annotations

import re
from typing import Any, cast

from junitparser import Error, Failure, JUnitXml, Properties, Property, Skipped, TestCase, TestSuite

from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.validation.judgement import Judgement, judge
from bedplate.validation.reports.wording import (
    OUTCOME_WORDS,
    SIMULATED,
    check_title,
    confidence_text,
    measure_text,
    subject_label,
)
from bedplate.validation.result import RunResult

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(result: RunResult) -> str:
    """The run as a JUnit XML document."""
    judgement = judge(result=result)
    document: Any = JUnitXml(f"bedplate {result.kind} {_clean(result.environment)}")
    document.add_testsuite(_run_suite(result, judgement))
    for subject in _subjects(result, judgement):
        document.add_testsuite(_suite(subject, result, judgement))
    document.update_statistics()
    text: bytes = document.tostring()
    return text.decode("utf-8").rstrip("\n") + "\n"


def _subjects(result: RunResult, judgement: Judgement) -> list[Subject]:
    seen = [v.subject for v in result.verdicts] + [m.subject for m in judgement.missing]
    return list(dict.fromkeys(seen))


def _run_suite(result: RunResult, judgement: Judgement) -> Any:
    suite: Any = TestSuite("the run as a whole")
    suite.timestamp = result.started_at
    facts = {
        "environment": result.environment,
        "account": result.account,
        "region": result.region,
        "simulated": str(result.simulated).lower(),
        "evidence": result.evidence_location,
        **{f"version {name}": version for name, version in result.versions.items()},
    }
    suite.append(_properties(facts))
    case = TestCase("everything required was proven", classname="run")
    if not judgement.passed:
        case.result = [Error(_clean(judgement.headline), "not passed")]
        case.result[0].text = _clean("\n".join(judgement.reasons))
    if result.simulated:
        case.system_out = SIMULATED
    suite.add_testcase(case)
    return suite


def _properties(facts: dict[str, str]) -> Any:
    # junitparser is typed in part; Any where it is not.
    properties: Any = cast("Any", Properties)()
    for name, value in facts.items():
        properties.add_property(Property(_clean(name), _clean(value)))
    return properties


def _suite(subject: Subject, result: RunResult, judgement: Judgement) -> TestSuite:
    label = _clean(subject_label(subject, result))
    suite = TestSuite(label)
    unproven = set(map(id, judgement.unproven))
    waived = {waiver.check_id: waiver.reason for waiver, _ in judgement.waived}
    for verdict in result.verdicts:
        if verdict.subject == subject:
            case = _case(verdict.check_id, label)
            case.result = [*_results(verdict, waived.get(verdict.check_id), unproven=id(verdict) in unproven)]
            suite.add_testcase(case)
    for missing in judgement.missing:
        if missing.subject == subject:
            case = _case(missing.check_id, label)
            case.result = [Error("no verdict: the check was required and was not made", "missing")]
            suite.add_testcase(case)
    return suite


def _case(check_id: str, label: str) -> TestCase:
    return TestCase(_clean(f"{check_id} {check_title(check_id)}".strip()), classname=label)


def _results(verdict: Verdict, waived: str | None, *, unproven: bool) -> list[Error | Failure | Skipped]:
    message = _clean(verdict.summary)
    words = OUTCOME_WORDS[verdict.outcome]
    entry: Error | Failure | Skipped
    if waived is not None:
        entry = Skipped(_clean(f"waived: {waived} (the check itself: {words})"))
    elif unproven:
        entry = Error(message or words, verdict.outcome.value)
    elif verdict.outcome is Outcome.FAIL:
        entry = Failure(message or words, verdict.cause or verdict.check_id)
    elif verdict.outcome is Outcome.PASS:
        return []
    else:
        entry = Skipped(message or words)
    entry.text = _clean(_details(verdict))
    return [entry]


def _details(verdict: Verdict) -> str:
    lines = [
        ("measured", measure_text(verdict.measured, verdict.unit)),
        ("expected", measure_text(verdict.expected, verdict.unit)),
        ("expectation from", verdict.source),
        ("evidence", ", ".join(verdict.evidence)),
        ("remedy", verdict.remedy),
        ("confidence", confidence_text(verdict.confidence)),
        ("because", "; ".join(verdict.because)),
        ("excerpt", verdict.excerpt),
    ]
    return "\n".join(f"{name}: {text}" for name, text in lines if text)


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold, e.g. the escape codes of a coloured log."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
