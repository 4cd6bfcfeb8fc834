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
METRICS_FILE = "metrics.prom"


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


def make_folder(folder: Path) -> None:
    """Make the folder that files will be written into, and try it: a run of an hour must not end in vain.

    Raises ``BedplateError`` RES-001 where it cannot be made or written.
    """
    import tempfile

    from bedplate.errors import BedplateError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".bedplate-"):
            pass
    except OSError as error:
        raise BedplateError(
            f"{folder}: files cannot be written into it: {error.strerror or error}",
            error_id="RES-001",
            remedy="Choose a folder that can be written, with room on its disk.",
        ) from error


def write_files(result: RunResult, output: Path) -> None:
    """Write result.json, junit.xml, report.html and, of a validation, metrics.prom into a folder, which is
    made.
    """
    from bedplate.validation.reports.html import render_html
    from bedplate.validation.reports.junit import render_junit
    from bedplate.validation.reports.prometheus import render_prometheus
    from bedplate.validation.reports.result_file import write_result, write_text

    write_result(result, output / RESULT_FILE)
    write_text(render_junit(result), output / JUNIT_FILE)
    write_text(render_html(result), output / PAGE_FILE)
    if result.kind == "validate":
        write_text(render_prometheus(result), output / METRICS_FILE)
    click.echo(f"Wrote {output / PAGE_FILE}, {JUNIT_FILE} and {RESULT_FILE} beside it", err=True)
