"""What is wrong with an environment file, as data; rendered once, at the edge. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bedplate.errors import SpecRefused

Path = tuple[str | int, ...]
"""Where in the file: keys and list indices from the top, e.g. ``("pools", 0, "nodes")``."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong, where it is, and how to mend it.

    ``line`` and ``column`` count from 1; ``source`` is the whole line and ``width`` how many of its
    characters are meant. ``given`` is the value as written, empty where something is missing;
    ``allowed`` says what could stand there. ``path`` is the field in dotted form (``pools[0].nodes``).
    """

    id: str
    file: str
    line: int
    column: int
    width: int
    source: str
    path: str
    message: str
    given: str
    allowed: str
    remedy: str

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as plain data for JSON."""
        return asdict(self)


class SpecProblems(SpecRefused):
    """The environment file is refused; carries every problem, sorted by line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        count = len(self.problems)
        super().__init__(
            f"{first.file}: {count} problem{'s' if count > 1 else ''}; the first, on line {first.line}: "
            f"{first.message}",
            error_id=first.id,
            remedy=first.remedy,
            file=first.file,
        )


def dotted(path: Path) -> str:
    """Write a path as people do: ``pools[0].nodes``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
