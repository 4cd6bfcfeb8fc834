"""From an exception to what a person reads and the exit code."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from collections.abc import Sequence

import click

from bedplate.cli.answers import error_answer, wants_json
from bedplate.errors import BedplateError, ExitCode, UsageError

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

_OTHER_PLACE = "Choose a place that can be written, with room on its disk, and run the command again."


def show_failure(error: Exception, *, arguments: Sequence[str], debug: bool) -> int:
    """Show an error on standard error and return the exit code that goes with it.

    ``arguments`` are those of the command that failed, to be repeated with ``--debug``. Where they ask for
    JSON the error is told by JSON on standard output, and in no other words.
    """
    if debug:
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, color=colour())
    if wants_json(arguments):
        answer = _as_bedplate_error(error, arguments=arguments, debug=debug)
        _answer(answer)
        return answer.exit_code
    if isinstance(error, click.ClickException):
        _show_usage(error)
        return ExitCode.USAGE if isinstance(error, click.UsageError) else ExitCode.FAILED
    foreseen = _as_bedplate_error(error, arguments=arguments, debug=debug)
    click.echo(_render(foreseen), err=True, color=colour())
    return foreseen.exit_code


def show_interrupt(*, arguments: Sequence[str]) -> int:
    """Say that the command was interrupted, and return the exit code for it."""
    if wants_json(arguments):
        _answer(_Interrupted("interrupted", error_id="CLI-006", remedy=_AGAIN))
    else:
        click.echo("\nInterrupted.", err=True)
    return ExitCode.INTERRUPTED


def _answer(error: BedplateError) -> None:
    """Tell an error by JSON on standard output; where nobody reads that, or no room is left, in words."""
    try:
        click.echo(error_answer(error))
    except OSError:
        sys.stdout = None  # else the interpreter fails once more when it flushes at its end
        click.echo(_render(error), err=True, color=colour())


_AGAIN = "Run the command again; what it had started was stopped."


class _Interrupted(BedplateError):
    exit_code = ExitCode.INTERRUPTED


def _as_bedplate_error(error: Exception, *, arguments: Sequence[str], debug: bool) -> BedplateError:
    """The error as one of the tree: what click, the system or nobody foresaw gets an id and a remedy."""
    if isinstance(error, BedplateError):
        return error
    if isinstance(error, click.UsageError):
        return _misused(error)
    if isinstance(error, click.ClickException):
        return BedplateError(error.format_message(), error_id="CLI-004", remedy=_OTHER_PLACE)
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        return _refused_by_system(error)
    return _unforeseen(error, arguments=arguments, debug=debug)


def _misused(error: click.UsageError) -> UsageError:
    command = error.ctx.command_path if error.ctx is not None else "bedplate"
    return UsageError(
        error.format_message(), error_id="CLI-005", remedy=f"Run `{command} --help` for what it takes."
    )


def _refused_by_system(error: OSError) -> BedplateError:
    where = f"{error.filename}: " if error.filename is not None else ""
    return BedplateError(
        f"{where}{(error.strerror or str(error)).lower()}",
        error_id="CLI-004",
        remedy=_OTHER_PLACE,
    )


def _show_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True, color=colour())
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        click.echo(context.get_usage(), err=True, color=colour())
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True, color=colour())
    click.echo(f"{_head('error')}: {error.format_message()}", err=True, color=colour())


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


def _unforeseen(error: Exception, *, arguments: Sequence[str], debug: bool) -> BedplateError:
    text = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    return BedplateError(
        f"this should not have happened: {what}",
        error_id="CLI-001",
        remedy="" if debug else f"Run `bedplate --debug {shlex.join(arguments)}` and report the traceback.",
    )


def _head(text: str) -> str:
    return click.style(text, fg="red", bold=True)


def colour() -> bool | None:
    """Colour as click decides by the terminal, unless NO_COLOR asks for none (no-color.org)."""
    return False if os.environ.get("NO_COLOR") else None
