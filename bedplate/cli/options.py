"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


_TYPED = "bedplate.cli.options.environment"


def _find(context: click.Context, _parameter: click.Parameter, value: str | None) -> Path | None:
    if value is None:
        return None
    from bedplate.spec.find import find_environment

    context.meta[_TYPED] = value
    return find_environment(value, Path.cwd())


def environment_option(function: Function) -> Function:
    """Add ``-e/--env NAME|PATH``; the command gets ``environment: Path``, a file that exists."""
    return click.option(
        "-e",
        "--env",
        "environment",
        metavar="NAME|PATH",
        required=True,
        callback=_find,
        help="Environment: NAME for environments/NAME.yaml, or a file's path.",
    )(function)


def environment_typed() -> str:
    """What the user gave to ``environment_option``, quoted for a shell: for commands that are proposed."""
    return shlex.quote(click.get_current_context().meta[_TYPED])


def environment_file(function: Function) -> Function:
    """Add ``FILE`` or ``-e NAME``; the command gets ``file`` and ``environment``, see ``chosen``."""
    function = click.argument("file", required=False, type=click.Path(path_type=Path))(function)
    return click.option(
        "-e",
        "--env",
        "environment",
        metavar="NAME|PATH",
        help="Environment: NAME for environments/NAME.yaml, or a file's path.",
    )(function)


def chosen(file: Path | None, environment: str | None) -> Path:
    """Return the file that is meant by the one of the two that was given.

    Raises a usage error for none or both, and ``SpecRefused`` (SPC-014) for an environment that is not there:
    the command asks, and not the option, so that it can answer in JSON.
    """
    from bedplate.spec.find import find_environment

    if (file is None) == (environment is None):
        raise click.UsageError("Give a FILE, or an environment with -e NAME.")
    return file if file is not None else find_environment(str(environment), Path.cwd())


def json_option(function: Function) -> Function:
    """Add ``--json``; the command gets ``as_json: bool``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")(function)
