"""``bedplate undo``: take the drains of a plan back."""

from __future__ import annotations

from pathlib import Path

import click

from bedplate.cli.options import environment_option, environment_typed, json_option
from bedplate.errors import ExitCode

_EPILOG = """\b
Examples:
  bedplate undo -e prod
  bedplate undo -e prod act-20260203T092147Z-0a1b2c3d
  bedplate undo -e prod --list
"""


@click.command(epilog=_EPILOG, short_help="Take back what `bedplate act` has drained.")
@click.argument("plan_id", metavar="[PLAN]", required=False)
@environment_option
@json_option
@click.option("--list", "list_only", is_flag=True, help="List the plans that were carried out, newest first.")
@click.option("--dry-run", is_flag=True, help="Show what would be lifted, and change nothing.")
def command(environment: Path, as_json: bool, plan_id: str | None, list_only: bool, dry_run: bool) -> int:
    """Take back what `bedplate act` has drained: the newest PLAN, or the one named.

    Lifts the drains that are still the plan's own; a node that somebody else has drained since stays so.
    An instance that was replaced does not come back. Exits with 4 if a drain could not be lifted.
    """
    from bedplate.cli.acting import show_plan
    from bedplate.cli.undoing import pick, show_dry_run, show_list
    from bedplate.spec.loader import load_environment
    from bedplate.validation.actions.session import new_session
    from bedplate.validation.actions.undo import plan_undo, undo
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.deployed import read_manifest

    wanted = load_environment(environment)
    clients = AwsClients(region=wanted.region)
    manifest = read_manifest(clients=clients, environment=wanted.name)
    session = new_session(clients=clients, manifest=manifest)
    if list_only:
        show_list(session.journals, as_json=as_json)
        return ExitCode.OK
    plan = pick(session.journals, plan_id)
    if dry_run:
        show_dry_run(plan, plan_undo(plan=plan, cluster=session.cluster), as_json=as_json)
        return ExitCode.OK
    with session.hold():
        undone = undo(plan=plan, cluster=session.cluster, journals=session.journals)
    show_plan(undone, as_json=as_json, carried_out=True, environment=environment_typed())
    bad = any(action.state == "failed" for action in undone.actions)
    return ExitCode.CHECKS_FAILED if bad else ExitCode.OK
