"""The ``bedplate`` command: the table of commands, the global options and the exit codes.

A command's module is imported when the command is called, so that ``bedplate --help`` answers at once.
Commands raise ``BedplateError``; this module alone turns an error into text and an exit code.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import Any

import click

from bedplate import __version__
from bedplate.cli.failures import colour, show_failure, show_interrupt
from bedplate.errors import ExitCode

COMMANDS: dict[str, str] = {
    "init": "Write a commented environment file.",
    "check": "Check an environment file, offline.",
    "schema": "Print the JSON Schema of the environment file.",
    "expand": "Print an environment file with all defaults filled in.",
    "explain": "Explain a check, a rule or an error by its id.",
    "lock": "Ask AWS about reservations and images, and keep the answer.",
    "preflight": "Ask AWS, before a deploy, whether it can work.",
    "validate": "Prove a deployed cluster, node by node and as a whole.",
    "runner": "Validate as the runner in the account does.",
    "act": "Drain or replace nodes at fault; lists what it would do.",
    "undo": "Take back what `bedplate act` has drained.",
    "baseline": "Keep what this cluster reached as what it must reach.",
    "support-bundle": "Pack what a support case about a node needs.",
    "job": "Print an sbatch script for an environment's cluster.",
    "report": "Show a result file as a page, JUnit XML or a table.",
    "dashboards": "Write the Grafana dashboards as files.",
    "sandbox": "Run the local AWS stand-in.",
    "demo": "Deploy, break and validate a simulated cluster.",
}
"""Command name → one line of help, in the help's order; the module is ``bedplate.cli.commands.<name>``,
with ``_`` for ``-``."""

_EPILOG = """\b
Exit codes:
  0 well                          4 checks failed or could not be made
  1 failed                        5 AWS refused or was out of reach
  2 the command makes no sense    6 data would be lost
  3 environment file refused      130 interrupted
"""


def _module_of(name: str) -> str:
    return f"bedplate.cli.commands.{name.replace('-', '_')}"


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """Name the commands that this installation has, in the table's order."""
        return [name for name in COMMANDS if find_spec(_module_of(name)) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; ``None`` for a name that is not in the table."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(_module_of(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or refuse with the names that are close."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand:
            known = self.list_commands(ctx)
            raise click.UsageError(_unknown_command(args[0], known), ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing them."""
        rows = [(name, COMMANDS[name]) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _unknown_command(given: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(given, known, n=3, cutoff=0.6)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}."
    return f"There is no command '{given}'. {hint}"


@click.group(
    cls=LazyGroup,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="bedplate", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback when something fails.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """The base under foundation-model training and inference on AWS.

    Check an environment file before anything is bought, and prove the cluster after every deploy.
    """
    # The flag is read by ``run`` from the context: a failure may come before this function is called.
    del debug
    context.color = colour()  # for whatever the commands print by click


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; errors are shown on standard error, or told as JSON."""
    debug = "--debug" in arguments
    try:
        answer: Any = cli.main(args=list(arguments), prog_name="bedplate", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        return show_interrupt(arguments=arguments)
    except BrokenPipeError:
        # Whoever read our output (`| head`) has gone; say nothing more, the interpreter's own flush included.
        sys.stdout = None
        return ExitCode.FAILED
    except Exception as error:  # noqa: BLE001 -- the edge: whatever fails below ends as one message here
        return show_failure(error, arguments=arguments, debug=debug)
    return answer if isinstance(answer, int) else ExitCode.OK


def main() -> None:
    """Run the command line of this process; a kill or a lost terminal is an interrupt like Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # What was started must be stopped, which Python does for an interrupt only. `nohup` stays respected.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)
    sys.exit(run(sys.argv[1:]))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
