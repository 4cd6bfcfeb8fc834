"""`bedplate runner` at its edge: what it is asked, and how it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bedplate.cli.main import run
from bedplate.errors import AwsRefused, ExitCode
from tests.validation.reports.sample_run import faulty_run, healthy_run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the entry point was asked to do; it answers with the last item's ``outcome``."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    return calls


def answer(monkeypatch: pytest.MonkeyPatch, calls: list[dict[str, Any]], outcome: Any) -> None:
    """Let the entry point come to this."""

    def entry(**given: Any) -> Any:
        calls.append(given)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr("bedplate.validation.runner.run.run_in_account", entry)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (healthy_run(), ExitCode.OK),
        (faulty_run(), ExitCode.CHECKS_FAILED),
        (None, ExitCode.OK),
        (AwsRefused("away", error_id="AWS-001"), ExitCode.AWS_REFUSED),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
    ],
    ids=["pass", "fault", "covered", "away", "stopped"],
)
def test_its_exit_code_says_whether_the_run_was_told(
    monkeypatch: pytest.MonkeyPatch, asked: list[dict[str, Any]], outcome: Any, code: int
) -> None:
    """4 is a verdict that was kept and told, which the build lets pass; anything else but 0 fails it."""
    answer(monkeypatch, asked, outcome)
    assert run(["runner", "prod"]) == code


def test_what_it_is_asked_reaches_the_entry_point(
    monkeypatch: pytest.MonkeyPatch, asked: list[dict[str, Any]]
) -> None:
    """Environment, stacks and what started it, as the build passes them."""
    answer(monkeypatch, asked, None)
    options = ["--stack", "one", "--stack", "two", "--started-by", "deploy"]
    assert run(["runner", "prod", *options]) == ExitCode.OK
    (call,) = asked
    order = call["order"]
    assert (order.environment, tuple(order.stacks), order.started_by) == ("prod", ("one", "two"), "deploy")
    assert call["clients"].region == "us-west-2"


def test_its_result_is_json_where_asked(
    monkeypatch: pytest.MonkeyPatch, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output holds the result alone."""
    answer(monkeypatch, asked, healthy_run())
    assert run(["runner", "prod", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["environment"] == "demo"
    answer(monkeypatch, asked, None)
    assert run(["runner", "prod", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == {"covered_by_another_run": True}


def test_without_a_region_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command makes no sense without one, and says which option is missing."""
    monkeypatch.delenv("AWS_REGION")
    answer(monkeypatch, asked, None)
    assert run(["runner", "prod"]) == ExitCode.USAGE
    assert "--region" in capsys.readouterr().err
    assert asked == []
