"""NOD-002: the node's bootstrap."""

from __future__ import annotations

import json

import pytest

from bedplate.diagnosis.checks.node_bootstrap import check
from bedplate.diagnosis.verdict import Outcome, Verdict


def _check(text: object) -> Verdict:
    return check(node="i-1", answer={"files": {"bootstrap": text}})


def _record(**changes: object) -> str:
    return json.dumps({"schema": 1, "role": "compute", "done": ["install_program"], "failed": [], **changes})


def test_all_steps_done_is_a_pass() -> None:
    """A whole record with no failed step passes."""
    assert _check(_record()).outcome is Outcome.PASS


def test_a_failed_step_is_named() -> None:
    """A failed step fails the node, by name, with its cause."""
    verdict = _check(_record(failed=["set_up_lnet", "mount_lustre"]))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.cause == "bootstrap-incomplete"
    assert "set_up_lnet" in verdict.summary
    assert verdict.measured == 2


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[]",
        _record(schema=2),
        _record(done=None),
        _record(failed="none"),
        _record(failed=[1]),
        _record(done=[]),
        _record(done=["mount_lustre"]),
        _record()[:-5],
    ],
)
def test_no_whole_record_is_never_a_pass(text: object) -> None:
    """A record that is missing, cut, of another kind or empty is an error."""
    assert _check(text).outcome is Outcome.ERROR


def test_an_answer_of_an_older_program_is_an_error() -> None:
    """An answer that does not hold the file at all cannot pass."""
    assert check(node="i-1", answer={}).outcome is Outcome.ERROR


def test_a_step_that_the_environment_needs_and_the_record_lacks_is_an_error() -> None:
    """A node that was set up without Lustre cannot pass for an environment with it; the step is named."""
    steps = ("install_program", "set_up_lnet", "mount_lustre")
    record = _record(done=["install_program", "mount_lustre"])
    verdict = check(node="i-1", answer={"files": {"bootstrap": record}}, steps=steps)
    assert verdict.outcome is Outcome.ERROR
    assert "set_up_lnet" in verdict.summary
    whole = {"files": {"bootstrap": _record(done=list(steps))}}
    assert check(node="i-1", answer=whole, steps=steps).outcome is Outcome.PASS
