"""NOD-002: the node's bootstrap."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.diagnosis.checks.node_bootstrap import check
from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.node.bootstrap.record import BootRecord
from bedplate.node.bootstrap.step import DONE, FAILED, FAULTY, LEFT, SKIPPED, StepResult


def _check(text: object, **changes: Any) -> Verdict:
    return check(node="i-1", answer={"boot_id": "boot-1", "files": {"bootstrap": text}, **changes})


def _step(name: str, outcome: str = DONE, reason: str = "") -> StepResult:
    return StepResult(name, outcome, reason, 0.1)


def _record(*steps: StepResult, report_problem: str = "") -> str:
    record = BootRecord(
        environment="prod",
        pool="train",
        role="compute",
        instance_id="i-1",
        boot_id="boot-1",
        program_version="0.1.0",
        program_sha256="0" * 64,
        started_at="2026-11-29T00:00:00+00:00",
        ended_at="2026-11-29T00:00:09+00:00",
        seconds=9.0,
        steps=steps or (_step("install_program"),),
        report_key="" if report_problem else "bootstrap/i-1/boot-1.json",
        report_problem=report_problem,
    )
    return record.to_json()


def _changed(**changes: object) -> str:
    return json.dumps({**json.loads(_record()), **changes})


def test_all_steps_done_is_a_pass() -> None:
    """A record as the node program writes it, with no failed step, passes; skipped steps do not count."""
    verdict = _check(_record(_step("install_program"), _step("make_scratch", SKIPPED, "no disks")))
    assert verdict.outcome is Outcome.PASS
    assert "1 steps" in verdict.summary


def test_a_step_that_is_left_to_a_second_run_is_no_pass() -> None:
    """The second run has not come, or not ended: an error with the step's name, no fault of the node."""
    verdict = _check(_record(_step("install_program"), _step("make_scratch", LEFT, "is for a later run")))
    assert verdict.outcome is Outcome.ERROR
    assert "second run, for make_scratch, has not come" in verdict.summary
    failed = _check(_record(_step("set_up_lnet", FAILED, "one EFA"), _step("make_scratch", LEFT, "later")))
    assert failed.outcome is Outcome.FAIL


def test_a_failed_step_is_named_with_its_reason() -> None:
    """A failed step fails the node, by name, with its cause; the reason is what the reader sees first."""
    verdict = _check(
        _record(
            _step("install_nfs_client", SKIPPED, "no NFS file system"),
            _step("set_up_lnet", FAILED, "7 EFAs carry LNet"),
            _step("mount_file_systems", FAILED, "not tried"),
        )
    )
    assert verdict.outcome is Outcome.FAIL
    assert verdict.cause == "bootstrap-incomplete"
    assert "set_up_lnet" in verdict.summary
    assert verdict.excerpt.startswith("set_up_lnet: failed: 7 EFAs carry LNet")
    assert verdict.measured == 2


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[]",
        _changed(schema=1),
        _changed(outcome="failed"),
        _changed(outcome=None),
        _changed(boot_id=None),
        _changed(steps=None),
        _changed(steps=[]),
        _changed(steps=[1]),
        _changed(steps=[{"name": "install_program", "outcome": "perhaps", "reason": ""}]),
        _changed(steps=[{"name": "install_program", "outcome": "done"}]),
        _changed(report=None),
        _record(_step("mount_file_systems")),
        _record()[:-5],
    ],
)
def test_no_whole_record_is_never_a_pass(text: object) -> None:
    """A record that is missing, cut, of another kind, empty or at odds with itself is an error."""
    assert _check(text).outcome is Outcome.ERROR


def test_a_record_of_an_earlier_boot_is_an_error() -> None:
    """What was done before a reboot says nothing about the mounts after it."""
    verdict = _check(_record(), boot_id="boot-2")
    assert verdict.outcome is Outcome.ERROR
    assert "earlier boot" in verdict.summary
    assert _check(_record(), boot_id=None).outcome is Outcome.ERROR


def test_an_answer_of_an_older_program_is_an_error() -> None:
    """An answer that does not hold the file at all cannot pass."""
    assert check(node="i-1", answer={}).outcome is Outcome.ERROR


def test_a_step_that_the_environment_needs_and_the_record_lacks_is_an_error() -> None:
    """A node that was set up without LNet cannot pass for an environment with it; the step is named."""
    steps = ("install_program", "set_up_lnet")
    lacking = _record(_step("install_program"), _step("set_up_lnet", SKIPPED, "TCP"))
    verdict = check(node="i-1", answer={"boot_id": "boot-1", "files": {"bootstrap": lacking}}, steps=steps)
    assert verdict.outcome is Outcome.ERROR
    assert "set_up_lnet" in verdict.summary
    whole = {"boot_id": "boot-1", "files": {"bootstrap": _record(*map(_step, steps))}}
    assert check(node="i-1", answer=whole, steps=steps).outcome is Outcome.PASS


def test_a_report_that_did_not_arrive_is_told() -> None:
    """The node is well, and whoever looks into the bucket learns why nothing is there."""
    verdict = _check(_record(report_problem="Access Denied"))
    assert verdict.outcome is Outcome.PASS
    (finding,) = verdict.findings
    assert finding.severity is Severity.WARNING
    assert "Access Denied" in finding.text


def test_a_step_that_holds_no_jobs_back_fails_the_check_all_the_same() -> None:
    """A node that is not seen takes jobs, and whoever validates is told; with a failed step beside it the
    node takes none, and the summary does not say that it does.
    """
    faulty = _step("keep_exporters", FAULTY, "vmagent: neither the image nor a package has it")
    verdict = _check(_record(_step("install_program"), faulty))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.summary == "Bootstrap failed at keep_exporters, without which the node takes jobs"
    both = _check(_record(_step("make_scratch", FAILED, "a disk is gone"), faulty))
    assert both.outcome is Outcome.FAIL
    assert both.summary == "Bootstrap failed at make_scratch, keep_exporters"
