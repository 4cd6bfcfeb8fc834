"""``bedplate report``: show a result file as a table, JSON, JUnit XML, a page or metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bedplate.errors import ExitCode

if TYPE_CHECKING:
    from bedplate.validation.result import RunResult

_FORMATS = ("terminal", "json", "junit", "html", "prometheus")

_EPILOG = """\b
Examples:
  bedplate report result.json
  bedplate report result.json --format html --output report.html
  bedplate report result.json --format junit --output junit.xml --exit-code
  bedplate report result.json --format prometheus --output bedplate-validation.prom
"""


@click.command(epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(_FORMATS),
    default="terminal",
    show_default=True,
    help="What to write.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file, not to standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--exit-code", is_flag=True, help="Exit with 4 where the run is not passed, for use in scripts."
)
def command(file: Path, kind: str, output: Path | None, as_json: bool, exit_code: bool) -> int:
    """Show a result FILE as a table, JSON, JUnit XML, a page or metrics for node_exporter.

    FILE is the result.json that `bedplate validate` or `bedplate preflight` has written. Nothing is run
    or asked anew. The exit code is 0 where the file could be read, whatever it says, unless --exit-code
    is given.
    """
    from bedplate.validation.judgement import judge
    from bedplate.validation.reports.result_file import read_result, write_text

    result = read_result(file)
    text = _render(result, "json" if as_json else kind, to_file=output is not None)
    if output is not None:
        write_text(text, output)
        click.echo(f"Wrote {output}", err=True)
    else:
        click.echo(text, nl=False)
    return ExitCode.CHECKS_FAILED if exit_code and not judge(result=result).passed else ExitCode.OK


def _render(result: RunResult, kind: str, *, to_file: bool) -> str:
    """One format as text; only the one asked for is imported."""
    if kind == "json":
        from bedplate.validation.reports.result_file import result_json

        return result_json(result)
    if kind == "junit":
        from bedplate.validation.reports.junit import render_junit

        return render_junit(result)
    if kind == "html":
        from bedplate.validation.reports.html import render_html

        return render_html(result)
    if kind == "prometheus":
        from bedplate.validation.reports.prometheus import render_prometheus

        if result.kind != "validate":
            raise click.UsageError(
                f"--format prometheus is for a validation; the file holds a {result.kind}."
            )
        return render_prometheus(result)
    from bedplate.validation.reports.terminal import render_terminal

    return render_terminal(result, styled=None if not to_file else False)
