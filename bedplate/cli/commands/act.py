"""``bedplate act``: list what would be done with nodes at fault, and do it."""

from __future__ import annotations

from pathlib import Path

import click

from bedplate.cli.options import environment_option, environment_typed, json_option
from bedplate.errors import ExitCode

_EPILOG = """\b
Examples:
  bedplate act -e prod
  bedplate act -e prod --do
  bedplate act -e prod --result build/validation/result.json --on-failure replace --do
"""


@click.command(epilog=_EPILOG, short_help="Drain or replace nodes at fault; lists what it would do.")
@environment_option
@json_option
@click.option(
    "--result",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Act upon this result.json, not upon the newest run in the result bucket.",
)
@click.option(
    "--on-failure",
    type=click.Choice(("report", "drain", "replace")),
    help="Instead of the environment file's validation.on_failure.",
)
@click.option("--do", "carry_out", is_flag=True, help="Do what is listed. Without it nothing is changed.")
@click.option(
    "--wait-minutes",
    type=click.IntRange(0, 240),
    default=30,
    show_default=True,
    help="How long to wait for new instances.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def command(
    environment: Path,
    as_json: bool,
    file: Path | None,
    on_failure: str | None,
    carry_out: bool,
    wait_minutes: int,
    quiet: bool,
) -> int:
    """Drain or replace the nodes that a validation found at fault.

    Lists what would be done, with which nodes, why, and which faults are left alone; changes nothing
    without --do. Nothing is done about configuration, about what a run is not sure of, or beyond
    act_on_at_most_percent of a pool. A node with a job is drained; it is replaced by a later call, when
    the job has ended. `bedplate undo` takes a drain back. Exits with 4 if something could not be done.
    """
    from bedplate.cli.acting import act, policy_of, show_plan
    from bedplate.spec.loader import load_environment
    from bedplate.validation.actions.results import newest_result
    from bedplate.validation.actions.session import new_session
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.deployed import read_manifest
    from bedplate.validation.reports.result_file import read_result

    wanted = load_environment(environment)
    clients = AwsClients(region=wanted.region)
    manifest = read_manifest(clients=clients, environment=wanted.name)
    session = new_session(clients=clients, manifest=manifest)
    if file is not None:
        result = read_result(file)
    else:
        result, _ = newest_result(clients=clients, bucket=manifest.validation.result_bucket)
    policy = policy_of(wanted, on_failure=on_failure)
    waivers = {waiver.check: waiver.reason for waiver in wanted.validation.waivers}
    plan = act(
        session=session,
        result=result,
        policy=policy,
        waivers=waivers,
        carry_out=carry_out,
        wait_seconds=60.0 * wait_minutes,
        quiet=quiet or as_json,
    )
    show_plan(plan, as_json=as_json, carried_out=carry_out, environment=environment_typed())
    bad = any(action.state in ("failed", "refused") for action in plan.actions)
    return ExitCode.CHECKS_FAILED if bad else ExitCode.OK
