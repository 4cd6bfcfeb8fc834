"""``df -P -k``: which file systems answered, by where they are mounted.

POSIX: a header, then a line for each file system of six columns; a mount point is the rest of its line.
"""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "df"
_HEAD = re.compile(r"^Filesystem\s.*\sMounted on$")
_ROW = re.compile(r"^\S.*?\s+\d+\s+-?\d+\s+-?\d+\s+(?:\d{1,3}%|-)\s+(?P<path>/.*)$")


def parse_df(text: str) -> tuple[str, ...]:
    """The mount points in order; ParseError where the header is missing or a line is none of the table."""
    lines = [line for line in clean_lines(text) if line]
    if not lines or _HEAD.match(lines[0]) is None:
        raise ParseError(tool=TOOL, reason="there is no table of file systems in it")
    paths: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        match = _ROW.match(line)
        if match is None:
            raise ParseError(tool=TOOL, reason="a line is none of the table", line=number)
        paths.append(match.group("path"))
    return tuple(paths)
