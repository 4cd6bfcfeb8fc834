"""``bedplate validate``: prove a deployed cluster."""

from __future__ import annotations

from pathlib import Path

import click

from bedplate.cli.options import environment_option, json_option

_EPILOG = """\b
Examples:
  bedplate validate -e demo
  bedplate validate -e demo --output build/validation
  bedplate validate -e demo --act
  bedplate validate -e demo --json --quiet > result.json
"""


@click.command(epilog=_EPILOG, short_help="Prove a deployed cluster, node by node and as a whole.")
@environment_option
@json_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write result.json, junit.xml, report.html, metrics.prom and the evidence here.",
)
@click.option("--resume", is_flag=True, help="Insist on taking up the run that was cut off.")
@click.option("--fresh", is_flag=True, help="Begin anew, even if a run was cut off.")
@click.option("--act", "acts", is_flag=True, help="Then do what validation.on_failure says, listed first.")
@click.option("--no-metrics", is_flag=True, help="Write no metrics to the environment's workspace.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def command(
    context: click.Context,
    environment: Path,
    as_json: bool,
    output: Path | None,
    resume: bool,
    fresh: bool,
    acts: bool,
    no_metrics: bool,
    quiet: bool,
) -> None:
    """Prove a deployed cluster, node by node and as a whole.

    Only idle nodes are put under load, placed by the scheduler; a node that runs a job is left alone and
    counts as not tested. Waivers are those of the environment file. Exits with 0 only if every required
    check is a pass, with 4 if one failed or could not be made, with 5 if AWS refused or was out of reach.

    One run at a time: another one is refused. A run that was cut off within the last two hours is taken up
    by the next on the same deployment: what was complete is read again, what was not is repeated.

    Where validation.on_failure is drain or replace, the page shows what would be done with nodes at fault;
    with --act it is done, as `bedplate act --do` does it.

    Where the environment has a workspace for metrics, the outcome is written to it; a failure of that is
    told and changes no verdict.
    """
    from bedplate.cli.acting import announce, policy_of
    from bedplate.cli.delivery import deliver, make_folder, write_files
    from bedplate.spec.loader import load_environment
    from bedplate.validation.actions.after_run import act_after_run
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.deployed import read_manifest
    from bedplate.validation.progress import progress_for
    from bedplate.validation.remote_write.run_metrics import leave_metrics
    from bedplate.validation.run_lock import Resume
    from bedplate.validation.validate import new_validation

    if resume and fresh:
        raise click.UsageError("Give --resume or --fresh, not both.")
    wanted = load_environment(environment)
    if output is not None:
        make_folder(output)
    clients = AwsClients(region=wanted.region)
    manifest = read_manifest(clients=clients, environment=wanted.name)
    progress = progress_for(quiet=quiet)
    folder = output / "evidence" if output is not None else None
    told = ""
    validation = new_validation(
        clients=clients,
        manifest=manifest,
        waivers={waiver.check: waiver.reason for waiver in wanted.validation.waivers},
        progress=progress,
        folder=folder,
        resume=Resume.REQUIRED if resume else Resume.FRESH if fresh else Resume.AUTO,
    )
    try:
        result = validation.run()
        result = act_after_run(
            clients=clients,
            manifest=manifest,
            run_id=validation.run_id,
            result=result,
            policy=policy_of(wanted),
            carry_out=acts,
            announce=lambda plan: announce(plan, quiet=quiet),
            progress=progress,
        )
        if not no_metrics:
            told = leave_metrics(clients=clients, manifest=manifest, result=result)
    except BaseException:
        # What is known so far is worth keeping; a result that is not complete never counts as passed.
        if output is not None:
            write_files(validation.result(), output)
        raise
    finally:
        progress.close()
    if told:
        click.echo(f"No metrics were written: {told}", err=True)
    context.exit(deliver(result, output=output, as_json=as_json))
