"""Tests of `bedplate validate` and `bedplate preflight` at their edges: exit codes and what is left on
disk.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from bedplate.cli.main import run
from bedplate.errors import AwsRefused, ExitCode
from bedplate.validation.validate import Validation
from tests.validation.preflight.fake_aws import DEMO, FakeAws
from tests.validation.steps.small_cluster import context_of


def refuse(_context) -> None:
    """A step in which AWS goes away."""
    raise AwsRefused("asking: AWS cannot be reached", error_id="AWS-001", remedy="Look at the network.")


@pytest.fixture
def validation(monkeypatch) -> Validation:
    """The validation that the command makes, over fakes."""
    made = Validation(context_of())
    monkeypatch.setattr("bedplate.validation.deployed.read_manifest", lambda **_: None)
    monkeypatch.setattr("bedplate.validation.validate.new_validation", lambda **_: made)
    return made


def test_aws_going_away_leaves_an_incomplete_result_and_exits_with_5(
    validation, monkeypatch, tmp_path, capsys
) -> None:
    """What is known is kept, marked as cut off; the error is clear, and there is no traceback."""
    monkeypatch.setattr("bedplate.validation.validate.STEPS", (refuse,))
    code = run(["validate", "-e", str(DEMO), "--quiet", "--output", str(tmp_path)])
    said = capsys.readouterr()
    assert code == ExitCode.AWS_REFUSED
    assert "AWS-001" in said.err
    assert "Traceback" not in said.err
    assert "PASSED" not in said.out
    assert json.loads((tmp_path / "result.json").read_text())["complete"] is False


def test_a_result_that_the_bucket_does_not_take_is_not_complete(validation, monkeypatch, tmp_path) -> None:
    """A run whose last write fails ends with 5, and its local copy does not count as passed."""
    monkeypatch.setattr("bedplate.validation.validate.STEPS", ())

    def put_object(**_) -> None:
        refuse(None)

    validation.context.evidence.clients.s3.put_object = put_object
    assert run(["validate", "-e", str(DEMO), "--quiet", "--output", str(tmp_path)]) == ExitCode.AWS_REFUSED
    assert json.loads((tmp_path / "result.json").read_text())["complete"] is False


def test_checks_that_were_not_made_exit_with_4(validation, monkeypatch, tmp_path) -> None:
    """A whole run in which nothing was proven is no pass."""
    validation.context.record.required = {"NOD-001"}
    monkeypatch.setattr("bedplate.validation.validate.STEPS", ())
    code = run(["validate", "-e", str(DEMO), "--quiet", "--no-metrics", "--output", str(tmp_path)])
    assert code == ExitCode.CHECKS_FAILED
    written = {"result.json", "junit.xml", "report.html", "metrics.prom"}
    assert {path.name for path in Path(tmp_path).iterdir()} == written


@pytest.mark.parametrize("options", [(), ("--no-metrics",)])
def test_metrics_that_do_not_arrive_are_told_and_change_nothing(
    validation, monkeypatch, tmp_path, capsys, options
) -> None:
    """The exit code is the verdict's, and with --quiet too it is said that the workspace has nothing."""
    validation.context.record.required = {"NOD-001"}
    monkeypatch.setattr("bedplate.validation.validate.STEPS", ())
    monkeypatch.setattr(
        "bedplate.validation.remote_write.run_metrics.leave_metrics", lambda **_: "AWS-003: HTTP 403"
    )
    code = run(["validate", "-e", str(DEMO), "--quiet", *options])
    assert code == ExitCode.CHECKS_FAILED
    assert ("No metrics were written: AWS-003" in capsys.readouterr().err) == (not options)


@pytest.mark.parametrize(("spoilt", "code"), [(False, ExitCode.OK), (True, ExitCode.CHECKS_FAILED)])
def test_preflight_exits_with_0_only_where_all_is_well(monkeypatch, capsys, spoilt, code) -> None:
    """And prints the result as JSON where asked."""
    aws = FakeAws()
    if spoilt:
        aws.roles.clear()
    monkeypatch.setattr("bedplate.validation.aws.AwsClients", lambda **_: aws)
    assert run(["preflight", "-e", str(DEMO), "--quiet", "--json"]) == code
    result = json.loads(capsys.readouterr().out)
    assert result["kind"] == "preflight"
    assert result["complete"] is True
    assert SimpleNamespace(**result).simulated is True
