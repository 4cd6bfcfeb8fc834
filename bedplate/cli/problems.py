"""How the problems of an environment file look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

import click

from bedplate.spec.problems import Problem

_LINE_WIDTH = 160
_TEXT_WIDTH = 600
_UNSEEN = {"Cc", "Cf", "Zl", "Zp"}
"""Unicode's controls (a terminal's escape among them), directions and other formats, line separators."""


def render_problems(problems: Sequence[Problem]) -> str:
    """Write all problems, each with its line and a caret, and a last line that counts them."""
    blocks = [_render(problem) for problem in problems]
    count = len(problems)
    ending = (
        f"{problems[0].file} is refused: {count} problem{'s' if count > 1 else ''}. "
        f"`bedplate explain {problems[0].id}` says more."
    )
    return "\n\n".join([*blocks, ending])


def _render(problem: Problem) -> str:
    number = str(problem.line)
    source, pointer = _excerpt(problem)
    margin = " " * len(number)
    bar = click.style("|", fg="blue")
    where = f"{problem.file}:{problem.line}:{problem.column}"
    field = f" ({_harmless(_clipped(problem.path))})" if problem.path else ""
    head = click.style("error", fg="red", bold=True)
    lines = [
        f"{head}[{problem.id}]: {click.style(_harmless(_clipped(problem.message)), bold=True)}",
        f"{margin}--> {where}{field}",
        f"{margin} {bar}",
        f"{click.style(number, fg='blue')} {bar} {source}",
        f"{margin} {bar} {pointer}",
    ]
    for label, text in (("given", problem.given), ("allowed", problem.allowed), ("to mend", problem.remedy)):
        if text:
            lines.append(f"{margin} = {click.style(label, bold=True)}: {_harmless(_clipped(text))}")
    return "\n".join(lines)


def _excerpt(problem: Problem) -> tuple[str, str]:
    """The line, or as much of a long one as stands around the place meant; and the caret below it."""
    at = problem.column - 1
    first = 0 if at < _LINE_WIDTH else at - _LINE_WIDTH // 2
    last = first + _LINE_WIDTH
    source = _harmless(problem.source[first:last])
    head, tail = "…" if first else "", "…" if last < len(problem.source) else ""
    # Tabs are kept as tabs, so that the caret stands under its character whatever a tab's width.
    lead = "".join("\t" if character == "\t" else " " for character in problem.source[first:at])
    width = max(1, min(problem.width, last - at))
    return f"{head}{source}{tail}", " " * len(head) + lead + click.style("^" * width, fg="red", bold=True)


def _clipped(text: str) -> str:
    return text if len(text) <= _TEXT_WIDTH else f"{text[:_TEXT_WIDTH]}… ({len(text)} characters)"


def _harmless(text: str) -> str:
    """Show what a terminal would act on, or a reader would not see, as U+FFFD; one character stays one."""
    return "".join("\ufffd" if category(letter) in _UNSEEN and letter != "\t" else letter for letter in text)
