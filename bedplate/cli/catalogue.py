"""Explanations of the command line's own errors."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="CLI-001",
        title="an unexpected error is a mistake in Bedplate",
        what="A command ended by an exception that nobody foresaw.",
        why="Foreseen failures say what is wrong and how to mend it. This one says that Bedplate itself, or "
        "its installation, is at fault.",
        fix="Run the command again with `bedplate --debug COMMAND` and report the traceback, with the "
        "environment file if you may share it.",
        by_hand="`bedplate --version` prints the version to report.",
    ),
    CheckRow(
        id="CLI-002",
        title="an id is one that Bedplate explains",
        what="`bedplate explain ID` was given an id that is in none of its tables.",
        why="Ids are stable and written as three letters, a hyphen and three digits: CAP-002.",
        fix="Correct the id; the message names the nearest. `bedplate explain` alone lists all.",
        by_hand="Read docs/checks/.",
    ),
    CheckRow(
        id="CLI-003",
        title="`bedplate init` does not overwrite",
        what="The file that `bedplate init` was to write is there already.",
        why="An environment file holds decisions; overwriting it would lose them.",
        fix="Give another --name or --output, or move the file away.",
        by_hand="`ls environments/`",
    ),
    CheckRow(
        id="CLI-004",
        title="files and folders can be read and written",
        what="The operating system refused to open, make or write a file that the command needs.",
        why="The folder is not there or is another's, the file system is read-only, or the disk is full. "
        "Files are written whole or not at all, so what was there before is still there.",
        fix="Choose a place that can be written, with room on its disk, and run the command again.",
        by_hand="`ls -ld FOLDER` shows whose it is, `df -h FOLDER` how much room there is.",
    ),
    CheckRow(
        id="CLI-005",
        title="a command is called as its help says",
        what="The command line has an option, an argument or a value that the command does not take, or "
        "lacks one that it needs. The id is told with `--json`.",
        why="Nothing was done: a command that is not understood is not guessed at.",
        fix="Correct what the message names.",
        by_hand="`bedplate COMMAND --help`",
    ),
    CheckRow(
        id="CLI-006",
        title="a command runs to its end",
        what="The command was interrupted by Ctrl-C, a signal or a lost terminal. The id is told with "
        "`--json`.",
        why="What it had started was stopped, and files are written whole or not at all; an answer there "
        "is none.",
        fix="Run the command again.",
        by_hand="The exit code is 130.",
    ),
    CheckRow(
        id="CLI-007",
        title="a Prometheus is named by its root",
        what="`--prometheus` is no http or https address of a Prometheus, or has a user in it.",
        why="Grafana adds the API's path itself, and a password would be written into a file that people "
        "share.",
        fix="Give the root of the server, or of an AMP workspace: what its endpoint has before /api/v1.",
        by_hand="`curl -s URL/-/ready` answers for a Prometheus of your own.",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in _ROWS})
