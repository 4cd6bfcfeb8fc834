"""The code blocks of the Markdown files, and what each kind owes; ``CONTRIBUTING.md`` has the convention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<language>[\w+-]*)[^\n]*$")


@dataclass(frozen=True)
class Block:
    """One fenced block: where it is (``line`` of its fence, from 1), its language, and its text."""

    path: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Step:
    """One command of a console block, the exit code that it owes, and the lines that its output must hold."""

    command: str
    exit_code: int
    expected: tuple[str, ...]


def documents() -> list[Path]:
    """The Markdown files whose blocks are held by tests."""
    folders = (ROOT / "docs", ROOT / "examples")
    return [*sorted(ROOT.glob("*.md")), *(path for each in folders for path in sorted(each.rglob("*.md")))]


def all_blocks() -> list[Block]:
    """Every fenced block of every document."""
    return [
        block
        for path in documents()
        for block in blocks_of(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]


def blocks_of(text: str, path: str) -> list[Block]:
    """The fenced blocks of one document; raises ``ValueError`` for a fence that is never closed."""
    return list(_scan(text.splitlines(), path))


def _scan(lines: list[str], path: str) -> Iterator[Block]:
    opened: re.Match[str] | None = None
    start = 0
    for number, line in enumerate(lines, 1):
        match = _FENCE.match(line)
        if opened is None:
            opened, start = match, number
        elif match and match["fence"].startswith(opened["fence"]) and not match["language"]:
            indent = len(opened["indent"])
            body = "\n".join(part[indent:] for part in lines[start : number - 1]) + "\n"
            yield Block(path, start, opened["language"], body)
            opened = None
    if opened is not None:
        raise ValueError(f"{path}:{start}: the code block is never closed")


def is_runnable(block: Block) -> bool:
    """Console blocks are run; bash blocks only where their first line is ``# runs``."""
    return block.language == "console" or (
        block.language in {"bash", "sh"} and block.text.partition("\n")[0].strip() == "# runs"
    )


def steps_of(block: Block) -> list[Step]:
    """The commands of a runnable block.

    A console block holds ``$ command`` lines; the lines below each are expected in its output, in this order.
    Other lines may stand between them, and a line of dots says so. ``# exits 3`` at a command's end is its
    exit code.
    A ``# runs`` block is one script.
    """
    if block.language != "console":
        return [Step(block.text, 0, ())]
    steps: list[Step] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            steps.append(_step(line.removeprefix("$ ")))
        elif not steps:
            raise ValueError(f"{block}: a console block starts with a line '$ command'")
        elif line.strip() and line.strip() not in {"…", "..."}:
            last = steps[-1]
            steps[-1] = Step(last.command, last.exit_code, (*last.expected, line.strip()))
    return steps


def _step(command: str) -> Step:
    match = re.fullmatch(r"(?P<command>.*?)\s+# exits (?P<code>\d+)", command)
    return Step(match["command"], int(match["code"]), ()) if match else Step(command, 0, ())


def missing_lines(output: str, expected: tuple[str, ...]) -> list[str]:
    """The expected lines that the output does not hold in this order; blanks at both ends do not count."""
    lines = iter(line.strip() for line in output.splitlines())
    return [wanted for wanted in expected if not any(wanted in line for line in lines)]
