"""How a result reaches whoever asked: on standard output, and as files where a folder is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bedplate.errors import ExitCode

if TYPE_CHECKING:
    from bedplate.validation.result import RunResult

RESULT_FILE = "result.json"
JUNIT_FILE = "junit.xml"
PAGE_FILE = "report.html"


def deliver(result: RunResult, *, output: Path | None, as_json: bool) -> int:
    """Print the result, write its files, and return the exit code: 0 for a pass, else 4."""
    from bedplate.validation.judgement import judge

    if output is not None:
        write_files(result, output)
    if as_json:
        from bedplate.validation.reports.result_file import result_json

        click.echo(result_json(result), nl=False)
    else:
        from bedplate.validation.reports.terminal import render_terminal

        click.echo(render_terminal(result), nl=False)
    return ExitCode.OK if judge(result=result).passed else ExitCode.CHECKS_FAILED


def write_files(result: RunResult, output: Path) -> None:
    """Write result.json, junit.xml and report.html into a folder, which is made."""
    from bedplate.validation.reports.html import render_html
    from bedplate.validation.reports.junit import render_junit
    from bedplate.validation.reports.result_file import write_result, write_text

    write_result(result, output / RESULT_FILE)
    write_text(render_junit(result), output / JUNIT_FILE)
    write_text(render_html(result), output / PAGE_FILE)
    click.echo(f"Wrote {output / PAGE_FILE}, {JUNIT_FILE} and {RESULT_FILE} beside it", err=True)
