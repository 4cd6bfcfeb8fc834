"""Clean lines of a log of any size, a piece at a time: memory does not grow with the log, nor with a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from bedplate.diagnosis.parsers.text import clean_lines

PIECE_BYTES = 1 << 20
LONGEST_CHARACTERS = 1 << 14
CUT = "..."
"""Stands behind a line that was cut, as where somebody left lines out: such a log is not whole."""


def read_pieces(stream: IO[bytes]) -> Iterator[str]:
    """The stream as text; bytes that are no UTF-8 become the replacement character."""
    left = b""
    while piece := stream.read(PIECE_BYTES):
        piece = left + piece
        end = _last_whole(piece)
        yield piece[:end].decode("utf-8", errors="replace")
        left = piece[end:]
    if left:
        yield left.decode("utf-8", errors="replace")


def _last_whole(piece: bytes) -> int:
    """Where the last character of a piece begins, if it may go on in the next one; else the piece's end."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte < 0x80:
            return len(piece)
        if byte >= 0xC0:
            return len(piece) - back
    return len(piece)


def stream_lines(pieces: Iterable[str]) -> Iterator[str]:
    """The clean lines of ``pieces``, as ``clean_lines`` gives those of a whole text. A line beyond
    ``LONGEST_CHARACTERS`` is cut there, and ``CUT`` follows it as a line of its own.
    """
    rest, dropping = "", False
    for piece in pieces:
        text = rest + piece
        # A carriage return at the very end may belong to a line feed that is still to come.
        held = "\r" if text.endswith("\r") else ""
        lines = clean_pieces(text[: len(text) - len(held)])
        rest = lines.pop() + held
        if dropping and lines:
            dropping = False
            del lines[0]
        for line in lines:
            if len(line) <= LONGEST_CHARACTERS and "\x1b" not in line:
                yield line.rstrip()
            else:
                yield from _bounded(line)
        if len(rest) > LONGEST_CHARACTERS:
            if not dropping:
                yield from _bounded(rest)
            rest, dropping = "", True
    for line in clean_pieces(rest.rstrip("\r")) if rest and not dropping else ():
        yield from _bounded(line)


def clean_pieces(text: str) -> list[str]:
    """Raw lines; the last one is not ended yet."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def _bounded(line: str) -> Iterator[str]:
    cut = line[:LONGEST_CHARACTERS]
    yield clean_lines(cut)[0] if "\x1b" in cut else cut.rstrip()
    if len(line) > LONGEST_CHARACTERS:
        yield CUT
