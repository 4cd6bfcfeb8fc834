"""``bedplate baseline``: what this cluster reached when it was accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bedplate.cli.options import environment_option, json_option

if TYPE_CHECKING:
    from bedplate.manifest import ClusterManifest
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.baselines.baseline import Baseline

_EPILOG = """\b
Examples:
  bedplate baseline show -e prod
  bedplate baseline accept -e prod --run 20260203T092147Z-0a1b2c3d --because "acceptance of block 7"
  bedplate baseline forget -e prod
"""
_SHOW = """\b
Example:
  bedplate baseline show -e prod --json
"""
_ACCEPT = """\b
Example:
  bedplate baseline accept -e prod --run 20260203T092147Z-0a1b2c3d --because "acceptance of block 7"
"""
_FORGET = """\b
Example:
  bedplate baseline forget -e prod
"""


@click.group(
    name="baseline", epilog=_EPILOG, short_help="Keep what this cluster reached as what it must reach."
)
def command() -> None:
    """Keep what this cluster reached as what it must reach.

    Published figures are few, and those of other clusters. A baseline is of this one: later validations hold
    each collective to 95 % of it, beside what is published. It lies in the result bucket.
    """


@command.command(short_help="Print the stored baseline.", epilog=_SHOW)
@environment_option
@json_option
def show(environment: Path, as_json: bool) -> None:
    """Print the stored baseline: which runs it is made of, who accepted them and why, and each figure."""
    from bedplate.validation.baselines.store import read_baseline

    clients, manifest = _deployed(environment)
    stored = read_baseline(clients=clients, manifest=manifest)
    if as_json:
        click.echo("null" if stored is None else stored.model_dump_json(indent=2))
    else:
        click.echo(_text(stored) if stored else "There is no baseline: nothing was accepted yet.")


@command.command(short_help="Accept the bandwidths of one run or several.", epilog=_ACCEPT)
@environment_option
@json_option
@click.option(
    "--run",
    "run_ids",
    multiple=True,
    required=True,
    metavar="RUN",
    help="A run in the result bucket; several: the lowest of each figure counts.",
)
@click.option("--because", required=True, metavar="TEXT", help="Why; it is printed on every page.")
@click.option("--lower", is_flag=True, help="Allow figures well below what is stored, or left out.")
def accept(environment: Path, as_json: bool, run_ids: tuple[str, ...], because: str, lower: bool) -> None:
    """Accept the bandwidths of one run or several as this cluster's baseline.

    Refused (BAS-001) for a run with a fault, with a check open that a baseline cannot close, with a waiver of
    the checks that bandwidth stands on, or older than seven days; look at the run's page first.
    """
    from bedplate.validation.baselines.make import make_baseline
    from bedplate.validation.baselines.store import read_baseline, read_run, write_baseline

    if not because.strip():
        raise click.BadParameter("a reason has words", param_hint="--because")
    clients, manifest = _deployed(environment)
    runs = {run: read_run(clients=clients, manifest=manifest, run_id=run) for run in run_ids}
    made = make_baseline(
        runs=runs,
        manifest=manifest,
        reason=because.strip(),
        before=read_baseline(clients=clients, manifest=manifest),
        may_lower=lower,
    )
    where = write_baseline(clients=clients, manifest=manifest, baseline=made)
    click.echo(made.model_dump_json(indent=2) if as_json else f"{_text(made)}\nKept in {where}")


@command.command(short_help="Delete the stored baseline.", epilog=_FORGET)
@environment_option
@json_option
def forget(environment: Path, as_json: bool) -> None:
    """Delete the stored baseline; the next validation is held to published figures and to itself alone."""
    import json

    from bedplate.validation.baselines.store import forget_baseline

    clients, manifest = _deployed(environment)
    where = forget_baseline(clients=clients, manifest=manifest)
    if as_json:
        click.echo(json.dumps({"deleted": where}))
    else:
        click.echo("There is no baseline: nothing was deleted." if where is None else f"Deleted {where}")


def _deployed(environment: Path) -> tuple[AwsClients, ClusterManifest]:
    from bedplate.spec.loader import load_environment
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.deployed import read_manifest

    wanted = load_environment(environment)
    clients = AwsClients(region=wanted.region)
    return clients, read_manifest(clients=clients, environment=wanted.name)


def _text(baseline: Baseline) -> str:
    from bedplate.hardware.bandwidth.floor import size_text

    lines = ["SIMULATED: these runs were made in the local stand-in."] if baseline.simulated else []
    lines += [
        f"Baseline of {baseline.environment}, of run {', '.join(baseline.runs)}",
        f"accepted {baseline.accepted_at}: {baseline.reason}",
        "",
        f"{'pool':<12} {'type':<20} EFAs  {'collective':<14} {'over':<6} nodes      size      GB/s",
    ]
    lines += [
        f"{each.pool:<12} {each.instance_type:<20} {each.efas:>4}  {each.collective:<14} {each.path:<6} "
        f"{each.nodes:>5}  {size_text(each.size_bytes):>8}  {each.gb_per_s:>8.2f}"
        for each in baseline.figures
    ]
    return "\n".join(lines)
