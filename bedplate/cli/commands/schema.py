"""``bedplate schema``: the JSON Schemas that Bedplate publishes."""

from __future__ import annotations

import json

import click

_EPILOG = """\b
Examples:
  bedplate schema > environments/environment.schema.json
  bedplate schema --result > result.schema.json
"""


@click.command(epilog=_EPILOG, short_help="Print the JSON Schema of the environment file.")
@click.option("--result", is_flag=True, help="The schema of the result file of `bedplate validate` instead.")
def command(result: bool) -> None:
    """Print the JSON Schema (2020-12) of the environment file.

    An editor that speaks the YAML language server's protocol completes and checks a file whose first line is
    `# yaml-language-server: $schema=./environment.schema.json`.
    """
    if result:
        from bedplate.validation.reports.result_file import result_schema

        schema = result_schema()
    else:
        from bedplate.spec.schema import environment_schema

        schema = environment_schema()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
