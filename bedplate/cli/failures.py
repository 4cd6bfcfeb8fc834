"""From an exception to what a person reads and the exit code."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Sequence

import click

from bedplate.errors import BedplateError, ExitCode

_OF_THE_SYSTEM = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EEXIST,
        errno.EFBIG,
        errno.EIO,
        errno.EISDIR,
        errno.ELOOP,
        errno.EMFILE,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)
"""What the operating system refuses because of a file, a folder or a disk: no mistake of Bedplate."""


def show_failure(error: Exception, *, arguments: Sequence[str], debug: bool) -> int:
    """Show an error on standard error and return the exit code that goes with it.

    ``arguments`` are those of the command that failed, to be repeated with ``--debug``.
    """
    if debug:
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, color=_color())
    if isinstance(error, click.ClickException):
        _show_usage(error)
        return ExitCode.USAGE if isinstance(error, click.UsageError) else ExitCode.FAILED
    if isinstance(error, BedplateError):
        click.echo(_render(error), err=True, color=_color())
        return error.exit_code
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        click.echo(_render(_refused_by_system(error)), err=True, color=_color())
        return ExitCode.FAILED
    click.echo(_render_unexpected(error, arguments=arguments, debug=debug), err=True, color=_color())
    return ExitCode.FAILED


def _refused_by_system(error: OSError) -> BedplateError:
    where = f"{error.filename}: " if error.filename is not None else ""
    return BedplateError(
        f"{where}{(error.strerror or str(error)).lower()}",
        error_id="CLI-004",
        remedy="Choose a place that can be written, with room on its disk, and run the command again.",
    )


def _show_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True, color=_color())
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        click.echo(context.get_usage(), err=True, color=_color())
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True, color=_color())
    click.echo(f"{_head('error')}: {error.format_message()}", err=True, color=_color())


def _render(error: BedplateError) -> str:
    from bedplate.spec.problems import SpecProblems

    if isinstance(error, SpecProblems):
        from bedplate.cli.problems import render_problems

        return render_problems(error.problems)
    lines = [f"{_head('error')}[{error.error_id}]: {error.message}"]
    if error.remedy:
        lines.append(f"  {click.style('to mend', bold=True)}: {error.remedy}")
    lines.append(f"  {click.style('more', bold=True)}: bedplate explain {error.error_id}")
    return "\n".join(lines)


def _render_unexpected(error: Exception, *, arguments: Sequence[str], debug: bool) -> str:
    text = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    lines = [f"{_head('error')}[CLI-001]: this should not have happened: {what}"]
    if not debug:
        lines.append(
            f"  {click.style('to mend', bold=True)}: "
            f"Run `bedplate --debug {shlex.join(arguments)}` and report the traceback."
        )
    lines.append(f"  {click.style('more', bold=True)}: bedplate explain CLI-001")
    return "\n".join(lines)


def _head(text: str) -> str:
    return click.style(text, fg="red", bold=True)


def _color() -> bool | None:
    """Colour as click decides by the terminal, unless NO_COLOR asks for none (no-color.org)."""
    return False if os.environ.get("NO_COLOR") else None
