"""``bedplate report``: formats, files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bedplate.cli.main import run
from bedplate.errors import ExitCode
from bedplate.validation.reports.result_file import write_result
from tests.validation.reports.sample_run import faulty_run, healthy_run


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    """The path of a result file of a run that is not passed."""
    path = tmp_path / "result.json"
    write_result(faulty_run(), path)
    return str(path)


def test_each_format_is_written_to_standard_output(faulty: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Terminal, JSON, JUnit and HTML each give a document of their kind, and reading is exit code 0."""
    for kind, check in (
        ("terminal", lambda text: text.startswith("SIMULATED")),
        ("json", lambda text: json.loads(text)["kind"] == "validate"),
        ("junit", lambda text: ElementTree.fromstring(text).tag == "testsuites"),
        ("html", lambda text: text.startswith("<!doctype html>")),
    ):
        assert run(["report", faulty, "--format", kind]) == ExitCode.OK
        assert check(capsys.readouterr().out), kind


def test_output_goes_to_a_file(faulty: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --output the page lies in the file, and standard output stays empty."""
    page = tmp_path / "deep" / "report.html"
    assert run(["report", faulty, "-f", "html", "-o", str(page)]) == ExitCode.OK
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().out == ""


def test_exit_code_follows_the_verdict_only_when_asked(faulty: str, tmp_path: Path) -> None:
    """--exit-code makes a run that is not passed exit with 4; a passed one exits with 0."""
    well = tmp_path / "well.json"
    write_result(healthy_run(), well)
    assert run(["report", faulty]) == ExitCode.OK
    assert run(["report", faulty, "--exit-code"]) == ExitCode.CHECKS_FAILED
    assert run(["report", str(well), "--exit-code"]) == ExitCode.OK


@pytest.mark.parametrize("text", ["", "{}", '{"version": 9}', "not json"])
def test_a_broken_file_is_one_message(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken file ends with an error, its id and a remedy; no traceback, nothing on standard output."""
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    assert run(["report", str(path), "--exit-code"]) == ExitCode.FAILED
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "RES-00" in shown.err
    assert "Traceback" not in shown.err
