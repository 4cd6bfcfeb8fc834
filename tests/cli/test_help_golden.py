"""The help of every command is what is written down in ``golden/``, so that a change of it is seen in review.

``BEDPLATE_UPDATE_GOLDEN=1 python -m pytest tests/cli/test_help_golden.py`` writes the files anew; read
the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from bedplate.cli import main

GOLDEN = Path(__file__).parent / "golden"
LISTED = main.cli.list_commands(click.Context(main.cli))
COMMANDS = ["", *LISTED]


def _paths(prefix: str, command: click.Command) -> list[str]:
    """Name a command and, of a group, all commands below it."""
    names = [prefix]
    if isinstance(command, click.Group) and command is not main.cli:
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            names += _paths(f"{prefix} {name}", below)
    return names


def _all() -> list[str]:
    found = [""]
    for name in LISTED:
        command = main.cli.get_command(click.Context(main.cli), name)
        assert command is not None
        found += _paths(name, command)
    return found


@pytest.mark.parametrize("command", _all(), ids=lambda command: command or "bedplate")
def test_help_is_what_is_written_down(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--help`` prints the golden text, ends well, and shows an example."""
    monkeypatch.setenv("COLUMNS", "100")
    path = GOLDEN / f"{command.replace(' ', '-') or 'bedplate'}.txt"
    assert main.run([*command.split(), "--help"]) == 0
    text = capsys.readouterr().out
    if os.environ.get("BEDPLATE_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert not command or "xample" in text


def test_no_golden_file_is_left_over() -> None:
    """Each golden file belongs to a command that there is."""
    names = {f"{command.replace(' ', '-') or 'bedplate'}.txt" for command in _all()}
    assert {path.name for path in GOLDEN.iterdir()} == names
