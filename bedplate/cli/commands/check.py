"""``bedplate check``: hold an environment file against all rules, offline."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bedplate.cli.options import chosen, environment_file, json_option
from bedplate.errors import SpecRefused

if TYPE_CHECKING:
    from bedplate.spec import Environment

_EPILOG = """\b
Examples:
  bedplate check environments/demo.yaml
  bedplate check -e demo --json
"""


@click.command(epilog=_EPILOG, short_help="Check an environment file, offline.")
@environment_file
@json_option
def command(file: Path | None, environment: str | None, as_json: bool) -> None:
    """Check an environment file, offline.

    All problems are shown at once, each with its line and how to mend it. Exits with 0 if there is
    none, else with 3. A lock file beside it has to fit. Nothing is asked of AWS; `bedplate preflight` does
    that.
    """
    from bedplate.spec.find import shown
    from bedplate.spec.loader import load_environment

    path = chosen(file, environment)
    found = load_environment(path)
    locked = _hold_lock(path, found)
    if as_json:
        from bedplate.cli.answers import file_answer

        click.echo(file_answer(shown(path)))
        return
    nodes = sum(pool.max_nodes for pool in found.pools)
    pools = f"{len(found.pools)} pool{'s' if len(found.pools) > 1 else ''}"
    click.echo(f"{shown(path)}: well. {found.name} in {found.network.zone}: {pools}, up to {nodes} nodes.")
    click.echo(f"Next: bedplate {'preflight' if locked else 'lock'} -e {_as_argument(path)}")


def _hold_lock(path: Path, environment: Environment) -> bool:
    """Hold the lock file, if there is one, against the environment; False where one is needed first."""
    from bedplate.capacity.block_length import short_blocks
    from bedplate.capacity.locked import check_lock, needs_lock
    from bedplate.lockfile import read_lock
    from bedplate.spec.find import shown

    try:
        lock = read_lock(path)
        if lock is not None:
            check_lock(environment=environment, lock=lock)
            for warning in short_blocks(lock):
                click.echo(f"warning: {warning}", err=True)
    except SpecRefused as error:
        error.file = shown(path)  # it is this file that cannot be used
        raise
    return lock is not None or not needs_lock(environment)


def _as_argument(path: Path) -> str:
    """Name the environment as briefly as ``-e`` takes it from here."""
    from bedplate.spec.find import shown

    brief = shown(path)
    return shlex.quote(path.stem if brief == f"environments/{path.stem}.yaml" else brief)
