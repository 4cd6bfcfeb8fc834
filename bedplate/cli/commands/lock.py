"""``bedplate lock``: ask AWS once, and keep the answer beside the environment file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bedplate.cli.options import environment_option, json_option
from bedplate.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedplate.kubernetes.bill import BillRow
    from bedplate.lifecycle.lock import LockComparison
    from bedplate.spec import Environment

_EPILOG = """\b
Examples:
  bedplate lock -e prod-slurm
  bedplate lock -e prod-slurm --check
"""


@click.command(epilog=_EPILOG, short_help="Ask AWS about reservations and images, and keep the answer.")
@environment_option
@json_option
@click.option("--check", is_flag=True, help="Write nothing; exit with 4 where the file differs from AWS.")
@click.option(
    "--newest-images", is_flag=True, help="Take the newest images; the next deploy launches all nodes anew."
)
@click.pass_context
def command(
    context: click.Context, environment: Path, as_json: bool, check: bool, newest_images: bool
) -> None:
    """Ask AWS about reservations and images, and keep the answer.

    Writes NAME.lock.json beside the environment file: zone, size, start and end of each reservation, where
    the instance types are offered, and the AMI ids. A deploy reads this file and asks nothing. Review what
    changes, and commit it. Images that are locked already stay. For a Kubernetes cluster it also lists what
    is installed in it, at which version.
    """
    from datetime import UTC, datetime

    from bedplate.capacity.block_length import short_blocks
    from bedplate.lifecycle.lock import compare_lock, ended_blocks, write_lock
    from bedplate.spec.loader import load_environment
    from bedplate.validation.aws import AwsClients

    wanted = load_environment(environment)
    clients = AwsClients(region=wanted.region)
    now = datetime.now(UTC)
    found = compare_lock(wanted, environment, clients, now=now, newest_images=newest_images)
    stale = bool(found.changes) or found.before is None
    if stale and not check:
        write_lock(found)
    rows = _components(wanted)
    click.echo(_json(found, rows) if as_json else _text(found, rows, written=stale and not check))
    for warning in short_blocks(found.after):
        click.echo(f"warning: {warning}", err=True)
    for reservation in ended_blocks(found.after, now=now):
        click.echo(
            f"warning: {reservation} has ended; name another reservation, or take the pool out", err=True
        )
    context.exit(ExitCode.CHECKS_FAILED if check and stale else ExitCode.OK)


def _components(wanted: Environment) -> tuple[BillRow, ...]:
    """What is installed in a Kubernetes cluster, at which version; nothing under Slurm."""
    from bedplate.kubernetes.bill import bill
    from bedplate.spec.orchestrator import Eks

    if not isinstance(wanted.orchestrator, Eks):
        return ()
    kinds = [each.kind for each in wanted.storage.file_systems]
    return bill(wanted.orchestrator, pools=wanted.pools, file_system_kinds=kinds)


def _text(found: LockComparison, rows: Sequence[BillRow], *, written: bool) -> str:
    lines = ["SIMULATED: what answered is not AWS."] if found.after.simulated else []
    if found.before is None:
        lines.append(f"{found.path}: {'written' if written else 'there is none that can be read'}")
    elif not found.changes:
        lines.append(
            f"{found.path}: as AWS says, unchanged since {found.before.locked_at:%Y-%m-%d %H:%M} UTC"
        )
    else:
        lines.append(f"{found.path}: {'rewritten' if written else 'differs from what AWS says'}")
    lines += [f"  {change}" for change in found.changes]
    if written:
        lines.append("Review it and commit it.")
    if rows:
        lines.append("The cluster's components, which are pinned by this version of Bedplate:")
        lines += [f"  {each.name:<{max(len(row.name) for row in rows)}}  {_version(each)}" for each in rows]
    return "\n".join(lines)


def _version(row: BillRow) -> str:
    return f"{row.version}  {row.origin}" if row.version else "the version that EKS recommends"


def _json(found: LockComparison, rows: Sequence[BillRow]) -> str:
    import json
    from dataclasses import asdict

    changes = [{"place": each.place, "before": each.before, "after": each.after} for each in found.changes]
    return json.dumps(
        {
            "file": str(found.path),
            "there": found.before is not None,
            "changes": changes,
            "lock": found.after.model_dump(mode="json"),
            "components": [asdict(each) for each in rows],
        },
        indent=2,
        ensure_ascii=False,
    )
