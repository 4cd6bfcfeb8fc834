"""What a run becomes for those who were not there: metrics, and a message on anything but a pass."""

from __future__ import annotations

import pytest

from bedplate.errors import AwsRefused
from bedplate.validation.runner.metrics import metrics_of
from bedplate.validation.runner.notice import notice_of, notice_of_failure
from tests.validation.reports.sample_run import faulty_run, healthy_run


def test_a_pass_tells_nobody_and_is_one() -> None:
    """No message; the metric that an alarm would look at is 1."""
    result = healthy_run()
    assert notice_of(result=result, address="s3://b/runs/1/") is None
    found = {one.name: one.value for one in metrics_of(result)}
    assert found == {
        "Passed": 1,
        "Nodes": 8,
        "Faults": 0,
        "FailedChecks": 0,
        "ErrorChecks": 0,
        "NotTestedChecks": 0,
        "Duration": 465,
    }


def test_faults_are_named_with_their_remedy_and_where_the_page_is() -> None:
    """The message says what is at fault and what to do; simulated runs say so first."""
    notice = notice_of(result=faulty_run(), address="s3://b/runs/1/")
    assert notice is not None
    assert notice.subject == "SIMULATED: Bedplate demo: NOT PASSED"
    assert notice.text.startswith("SIMULATED: Validation of demo did not pass.")
    assert "An EFA device is missing: i-" in notice.text
    assert "Drain the node" in notice.text
    assert notice.text.endswith("Reports: s3://b/runs/1/")
    metrics = {one.name: one.value for one in metrics_of(faulty_run())}
    assert metrics["Passed"] == 0
    assert metrics["Faults"] > 0


@pytest.mark.parametrize(
    "change", [{"complete": False}, {"nodes": []}, {"verdicts": []}, {"required_checks": []}]
)
def test_whatever_is_no_pass_is_told(change: dict) -> None:
    """A run that was cut off, saw no node, or has nothing to say is told with its reasons."""
    result = healthy_run().model_copy(update=change)
    notice = notice_of(result=result, address="s3://b/runs/1/")
    assert notice is not None
    assert len([line for line in notice.text.splitlines() if line.startswith("- ")]) >= 1
    assert {one.name: one.value for one in metrics_of(result)}["Passed"] == 0


def test_what_was_done_about_it_is_told_with_the_way_back() -> None:
    """Whoever is woken knows which node is drained already, and by which command it is taken back."""
    told = notice_of(result=faulty_run(), address="s3://bucket/runs/1/")
    assert told is not None
    assert "- Drain h200-2" in told.text
    assert ": done." in told.text
    assert "bedplate undo -e demo act-20260203T092147Z-0a1b2c3d" in told.text


def test_the_subject_is_one_that_sns_takes() -> None:
    """ASCII, one line, fewer than 100 characters, whatever the environment is called."""
    result = healthy_run().model_copy(update={"environment": "ünïcode\n" * 30, "complete": False})
    notice = notice_of(result=result, address="x")
    assert notice is not None
    assert len(notice.subject) < 100
    assert notice.subject.isascii()
    assert "\n" not in notice.subject


def test_many_faults_are_counted_and_not_all_written_out() -> None:
    """A fleet that lost everything does not become a mail of pages."""
    run = faulty_run()
    failed = next(verdict for verdict in run.verdicts if verdict.outcome.value == "fail")
    many = [
        type(failed)(
            failed.check_id, type(failed.subject)("node", (f"i-{number:017x}",)), failed.outcome, "x"
        )
        for number in range(40)
    ]
    notice = notice_of(result=run.model_copy(update={"verdicts": many}), address="x")
    assert notice is not None
    assert "- and 30 more" in notice.text
    assert len(notice.text.splitlines()) < 20


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AwsRefused("no route", error_id="AWS-001", remedy="Look at it."), "AWS-001: no route\nLook at it."),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_a_run_without_a_result_is_told_as_not_validated(error: BaseException, words: str) -> None:
    """That nothing could be said is not a pass either."""
    notice = notice_of_failure(environment="prod", error=error)
    assert notice.subject == "Bedplate prod: NOT VALIDATED"
    assert words in notice.text
