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
@click.pass_context
def command(context: click.Context, file: Path | None, environment: str | None, as_json: bool) -> None:
    """Check an environment file, offline.

    All problems are shown at once, each with its line and how to mend it. Exits with 0 if there is
    none, else with 3. A lock file beside it has to fit. Nothing is asked of AWS; `bedplate preflight` does
    that.
    """
    if as_json:
        context.exit(_as_json(file, environment))
    from bedplate.spec.find import shown
    from bedplate.spec.loader import load_environment

    path = chosen(file, environment)
    found = load_environment(path)
    locked = _hold_lock(path, found)
    nodes = sum(pool.max_nodes for pool in found.pools)
    pools = f"{len(found.pools)} pool{'s' if len(found.pools) > 1 else ''}"
    click.echo(f"{shown(path)}: well. {found.name} in {found.network.zone}: {pools}, up to {nodes} nodes.")
    click.echo(f"Next: bedplate {'preflight' if locked else 'lock'} -e {_as_argument(path)}")


def _hold_lock(path: Path, environment: Environment) -> bool:
    """Hold the lock file, if there is one, against the environment; False where one is needed first."""
    from bedplate.capacity.locked import check_lock, needs_lock
    from bedplate.lockfile import read_lock

    lock = read_lock(path)
    if lock is None:
        return not needs_lock(environment)
    check_lock(environment=environment, lock=lock)
    return True


def _as_argument(path: Path) -> str:
    """Name the environment as briefly as ``-e`` takes it from here."""
    from bedplate.spec.find import shown

    brief = shown(path)
    return shlex.quote(path.stem if brief == f"environments/{path.stem}.yaml" else brief)


def _as_json(file: Path | None, environment: str | None) -> int:
    import json

    from bedplate.spec.find import shown
    from bedplate.spec.loader import load_environment
    from bedplate.spec.problems import SpecProblems

    problems: list[dict[str, object]] = []
    name = str(file or environment)
    try:
        path = chosen(file, environment)
        name = shown(path)
        _hold_lock(path, load_environment(path))
    except SpecProblems as error:
        problems = [problem.as_dict() for problem in error.problems]
    except SpecRefused as error:
        problems = [{"id": error.error_id, "file": name, "message": error.message, "remedy": error.remedy}]
    answer = {"file": name, "valid": not problems, "problems": problems}
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
    return SpecRefused.exit_code if problems else 0
