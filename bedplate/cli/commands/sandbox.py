"""``bedplate sandbox up|status|down``: the local AWS stand-in."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from bedplate.cli.options import json_option
from bedplate.errors import BedplateError, ExitCode
from bedplate.sandbox.state import DEFAULT_STATE_DIR, SandboxRecord, client_environment, is_alive, read_record

Function = TypeVar("Function", bound=Callable[..., Any])


def _state_option(function: Function) -> Function:
    return click.option(
        "--state",
        "state_dir",
        type=click.Path(path_type=Path, file_okay=False),
        default=DEFAULT_STATE_DIR,
        show_default=True,
        help="Folder for the record, the log and the simulated nodes.",
    )(function)


def _twelve_digits(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if re.fullmatch("[0-9]{12}", value) is None:
        raise click.BadParameter(f"'{value}' is not 12 digits.")
    return value


@click.group("sandbox")
def command() -> None:
    """Run the local AWS stand-in.

    \b
    Example:
      eval "$(bedplate sandbox up)"
      npx cdk bootstrap -c env=demo
      npx cdk deploy -c env=demo --all --method=direct
      bedplate sandbox down
    """


@command.command()
@_state_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on loopback; 0 takes a free one."
)
@click.option(
    "--faults",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file of what is wrong with the nodes; only the sandbox reads it.",
)
@click.option(
    "--account",
    default="123456789012",
    show_default=True,
    callback=_twelve_digits,
    help="Account of its credentials.",
)
@click.option("--region", default="us-west-2", show_default=True, help="Region told to clients.")
@json_option
def up(state_dir: Path, port: int, faults: Path | None, account: str, region: str, as_json: bool) -> None:
    """Start it and print the variables to export.

    \b
    Example:
      eval "$(bedplate sandbox up --port 4566)"
    """
    from bedplate.sandbox.process import start_sandbox

    click.echo(f"Starting the sandbox in {state_dir} …", err=True)
    record = start_sandbox(state_dir=state_dir, port=port, faults=faults, account=account, region=region)
    variables = client_environment(record)
    if as_json:
        click.echo(
            json.dumps({"endpoint": record.endpoint, "pid": record.pid, "environment": variables}, indent=2)
        )
        return
    for name, value in variables.items():
        click.echo(f"export {name}={value}")
    stop = "bedplate sandbox down"
    if state_dir != DEFAULT_STATE_DIR:
        stop += f" --state {shlex.quote(str(state_dir))}"
    click.echo(f"SIMULATED: AWS is played at {record.endpoint}. Stop it by `{stop}`.", err=True)


@command.command()
@_state_option
@json_option
def status(state_dir: Path, as_json: bool) -> int:
    """Tell its stacks and nodes; ends with 1 where none runs.

    \b
    Example:
      bedplate sandbox status --json
    """
    record = read_record(state_dir)
    if record is None or not is_alive(record):
        click.echo(json.dumps({"running": False}) if as_json else f"No sandbox runs in {state_dir}.")
        return ExitCode.FAILED
    answer = _ask(record)
    if as_json:
        click.echo(
            json.dumps({"running": True, "endpoint": record.endpoint, "pid": record.pid, **answer}, indent=2)
        )
        return ExitCode.OK
    click.echo(f"SIMULATED: {record.endpoint}, process {record.pid}")
    for stack in answer["stacks"]:
        click.echo(f"  stack  {stack['name']}  {stack['status']}  {stack['resources']} resources")
    for group in answer["node_groups"]:
        click.echo(f"  nodes  {group['name']}  {group['nodes']} running")
    return ExitCode.OK


@command.command()
@_state_option
def down(state_dir: Path) -> None:
    """Stop it; all that was deployed there is gone.

    \b
    Example:
      bedplate sandbox down
    """
    from bedplate.sandbox.process import stop_sandbox

    record = read_record(state_dir)
    if record is None or not is_alive(record):
        click.echo(f"No sandbox runs in {state_dir}.", err=True)
        return
    stop_sandbox(record)
    click.echo(f"Stopped the sandbox in {state_dir}.", err=True)


def _ask(record: SandboxRecord) -> dict[str, Any]:
    from urllib.error import URLError
    from urllib.request import urlopen

    try:
        with urlopen(f"{record.endpoint}/bedplate/status", timeout=10) as answer:  # noqa: S310  # our own endpoint
            found: dict[str, Any] = json.load(answer)
    except (URLError, TimeoutError) as error:
        raise BedplateError(
            f"the sandbox at {record.endpoint} runs but does not answer: {error}",
            error_id="SBX-001",
            remedy="stop it by `bedplate sandbox down` and start it again",
        ) from error
    return found
