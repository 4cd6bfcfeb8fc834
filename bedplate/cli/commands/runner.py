"""``bedplate runner``: validate as the runner in the account does."""

from __future__ import annotations

import click

from bedplate.cli.options import json_option

_EPILOG = """\b
Examples:
  bedplate runner prod
  bedplate runner prod --stack bedplate-prod-validation --started-by deploy
"""


@click.command(epilog=_EPILOG, short_help="Validate as the runner in the account does.")
@click.argument("environment", metavar="NAME")
@click.option("--region", metavar="REGION", envvar="AWS_REGION", required=True, help="[env: AWS_REGION]")
@click.option(
    "--stack",
    "stacks",
    metavar="STACK",
    multiple=True,
    help="Wait until this stack is at rest; may be repeated.",
)
@click.option(
    "--started-by",
    type=click.Choice(["deploy", "schedule", "hand"]),
    default="hand",
    show_default=True,
    help="What started it, for the page.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    environment: str,
    region: str,
    stacks: tuple[str, ...],
    started_by: str,
    as_json: bool,
) -> None:
    """Validate the deployed environment NAME as the runner in the account does.

    Waits for the deploy and for its turn, needs no environment file, keeps the reports in the result bucket,
    puts metrics, and tells the alarm topic of anything but a pass. Exits with 0 for a pass, or where another
    run has covered it, with 4 for anything else that was told, with another code where it could not.
    """
    from bedplate.cli.delivery import deliver
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.progress import PlainProgress
    from bedplate.validation.runner.run import Order, run_in_account

    progress = PlainProgress()
    order = Order(environment=environment, stacks=stacks, started_by=started_by)
    try:
        result = run_in_account(clients=AwsClients(region=region), order=order, progress=progress)
    finally:
        progress.close()
    if result is not None:
        context.exit(deliver(result, output=None, as_json=as_json))
    if as_json:
        click.echo('{"covered_by_another_run": true}')
