"""Where each key and value stands in the text of an environment file. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bedplate.spec.problems import Path, Problem, dotted


@dataclass(frozen=True)
class Place:
    """A stretch of one line; ``line`` and ``column`` count from 1. ``text`` is a scalar as written."""

    line: int
    column: int
    width: int
    text: str = ""


START = Place(line=1, column=1, width=1)


@dataclass(frozen=True)
class SourceMap:
    """The file's plain data, and the place of every key and value in it.

    ``data`` is what the YAML means, keys always as text. ``keys`` and ``values`` are by path from the top.
    ``merged`` has the place of the `<<` that brought a key which is not written in its own section.
    """

    file: str
    lines: tuple[str, ...]
    data: Any = None
    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)
    merged: dict[Path, Place] = field(default_factory=dict)

    def value_at(self, path: Path) -> Place:
        """Return the place of a value; of its nearest parent's key where it is not in the file."""
        if path in self.values:
            return self.values[path]
        return self.key_at(path[:-1]) if path else START

    def key_at(self, path: Path) -> Place:
        """Return the place of a key; an item of a list, which has none, is where its value begins."""
        if path in self.keys:
            return self.keys[path]
        if path in self.values:
            return self.values[path]
        return self.key_at(path[:-1]) if path else START

    def problem(
        self,
        *,
        id: str,  # noqa: A002 -- the problem's own word
        place: Place,
        message: str,
        path: Path = (),
        given: str | None = None,
        allowed: str = "",
        remedy: str,
    ) -> Problem:
        """Make a problem of what is wrong at a place; ``given`` defaults to the text that stands there."""
        line = min(max(place.line, 1), max(len(self.lines), 1))
        source = self.lines[line - 1] if self.lines else ""
        width = max(1, min(place.width, len(source) - place.column + 1))
        return Problem(
            id=id,
            file=self.file,
            line=line,
            column=place.column,
            width=width,
            source=source,
            path=dotted(path),
            message=message,
            given=place.text if given is None else given,
            allowed=allowed,
            remedy=remedy,
        )
