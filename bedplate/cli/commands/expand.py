"""``bedplate expand``: an environment file with all defaults filled in."""

from __future__ import annotations

from pathlib import Path

import click

from bedplate.cli.options import chosen, environment_file, json_option

_EPILOG = """\b
Examples:
  bedplate expand environments/dev.yaml
  bedplate expand -e dev > dev-full.yaml
"""


@click.command(epilog=_EPILOG, short_help="Print an environment file with all defaults filled in.")
@environment_file
@json_option
def command(file: Path | None, environment: str | None, as_json: bool) -> None:
    """Print an environment file with all defaults filled in.

    What is printed means the same as the file, and is an environment file itself; comments are not kept.
    """
    from bedplate.spec.expand import as_data, as_yaml
    from bedplate.spec.loader import load_environment

    found = load_environment(chosen(file, environment))
    if as_json:
        import json

        click.echo(json.dumps(as_data(found), indent=2, ensure_ascii=False))
        return
    click.echo(as_yaml(found), nl=False)
