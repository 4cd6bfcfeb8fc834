"""How the problems of an environment file look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click

from bedplate.spec.problems import Problem


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
    margin = " " * len(number)
    bar = click.style("|", fg="blue")
    where = f"{problem.file}:{problem.line}:{problem.column}"
    field = f" ({problem.path})" if problem.path else ""
    head = click.style("error", fg="red", bold=True)
    lines = [
        f"{head}[{problem.id}]: {click.style(problem.message, bold=True)}",
        f"{margin}--> {where}{field}",
        f"{margin} {bar}",
        f"{click.style(number, fg='blue')} {bar} {problem.source}",
        f"{margin} {bar} {_pointer(problem)}",
    ]
    for label, text in (("given", problem.given), ("allowed", problem.allowed), ("to mend", problem.remedy)):
        if text:
            lines.append(f"{margin} = {click.style(label, bold=True)}: {text}")
    return "\n".join(lines)


def _pointer(problem: Problem) -> str:
    # Tabs are kept as tabs, so that the caret stands under its character whatever a tab's width.
    lead = "".join("\t" if character == "\t" else " " for character in problem.source[: problem.column - 1])
    return lead + click.style("^" * max(1, problem.width), fg="red", bold=True)
