"""The one exception that a parser raises."""

from __future__ import annotations


class ParseError(ValueError):
    """A tool's text cannot be read: ``tool`` says whose, ``reason`` what is wrong, ``line`` where (0: the
    whole).
    """

    def __init__(self, *, tool: str, reason: str, line: int = 0) -> None:
        where = f", line {line}" if line else ""
        super().__init__(f"{tool}{where}: {reason}")
        self.tool = tool
        self.reason = reason
        self.line = line
