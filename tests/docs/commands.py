"""The commands that prose and blocks name: that they exist, with the options that are given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click

from bedplate.cli.main import COMMANDS, cli
from tests.docs.blocks import ROOT

_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of each ``bedplate`` or ``make`` command of a shell block, without comments and prompts."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|;|\|", line.removeprefix("$ ")):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                continue
            if words and words[0] in {"bedplate", "make"}:
                yield words


def problem_with(words: list[str]) -> str:
    """What is wrong with a command line, or nothing."""
    return _make_problem(words[1:]) if words[0] == "make" else _bedplate_problem(words[1:])


def _make_problem(words: list[str]) -> str:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    unknown = [word for word in words if not word.startswith("-") and "=" not in word and word not in targets]
    return f"the Makefile has no target {', '.join(unknown)}" if unknown else ""


def _bedplate_problem(words: list[str]) -> str:
    command: click.Command = cli
    name = "bedplate"
    context = click.Context(cli)
    while isinstance(command, click.Group):
        if not words or words[0].startswith("-"):
            return _option_problem(name, command, words)
        if words[0].isupper():  # a placeholder of prose, e.g. `bedplate COMMAND --help`
            return ""
        found = command.get_command(context, words[0])
        if found is None:
            return "" if words[0] in COMMANDS else f"there is no command {words[0]}"
        command, name, words = found, words[0], words[1:]
    return _option_problem(name, command, words)


def _option_problem(name: str, command: click.Command, words: list[str]) -> str:
    known = {"-h", "--help"} | {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
    own = words[: words.index("--")] if "--" in words else words
    given = [word.partition("=")[0] for word in own if word.startswith("-") and word != "-"]
    unknown = [option for option in given if option not in known]
    return f"{name} has no option {', '.join(unknown)}" if unknown else ""
