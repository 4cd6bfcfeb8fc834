"""``bedplate preflight``: ask AWS, before a deploy, whether it can work."""

from __future__ import annotations

from pathlib import Path

import click

from bedplate.cli.options import environment_option, json_option

_EPILOG = """\b
Examples:
  bedplate preflight -e demo
  bedplate preflight -e demo --output build/preflight
"""


@click.command(epilog=_EPILOG, short_help="Ask AWS, before a deploy, whether it can work.")
@environment_option
@json_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write result.json, junit.xml and report.html here.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def command(
    context: click.Context, environment: Path, as_json: bool, output: Path | None, quiet: bool
) -> None:
    """Ask AWS, before a deploy, whether it can work.

    Credentials, Region, zones, bootstrap, roles, quotas, reservations, addresses. Makes and changes nothing.
    Exits with 0 only if every check is a pass, with 4 if one failed or could not be made, with 5 if AWS was
    out of reach or refused the credentials.
    """
    from bedplate.cli.delivery import deliver, make_folder
    from bedplate.lockfile import read_lock
    from bedplate.spec.loader import load_environment
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.preflight.context import Preflight
    from bedplate.validation.preflight.run import run_preflight
    from bedplate.validation.progress import progress_for

    wanted, lock = load_environment(environment), read_lock(environment)
    if output is not None:
        make_folder(output)
    progress = progress_for(quiet=quiet)
    try:
        preflight = Preflight(wanted, AwsClients(region=wanted.region), lock=lock)
        result = run_preflight(preflight, progress=progress)
    finally:
        progress.close()
    context.exit(deliver(result, output=output, as_json=as_json))
