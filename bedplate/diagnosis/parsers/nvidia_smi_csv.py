"""The table that ``nvidia-smi --query-gpu=... --format=csv`` prints: a title line with units, then one line
a GPU.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "nvidia-smi"

_TITLE = re.compile(r"(?P<name>[a-z_][a-z0-9_.]*)(?:\s*\[(?P<unit>[^\]]*)\])?")
_LOST = re.compile(
    r"Unable to determine the device handle|GPU is lost|has fallen off the bus|No devices were found|"
    r"couldn't communicate with the NVIDIA driver",
    re.IGNORECASE,
)
_YES = frozenset({"yes", "1", "pending"})
_NO = frozenset({"no", "0"})


@dataclass(frozen=True)
class GpuLine:
    """One GPU: what it answered to each field asked, without units; ``values`` holds the words as printed."""

    values: tuple[tuple[str, str], ...]

    def word(self, field: str) -> str | None:
        """The word for a field; None where it was not asked or has no answer (``[N/A]``, ``[Unknown
        Error]`` ...).
        """
        value = dict(self.values).get(field)
        if value is None or value == "" or value.startswith("[") or value in {"N/A", "Unknown Error", "ERR!"}:
            return None
        return value

    def number(self, field: str) -> int | None:
        """The whole number for a field; None where there is none."""
        word = self.word(field)
        return None if word is None else whole(word)

    def flag(self, field: str) -> bool | None:
        """Yes or no for a field (``Yes``, ``No``, ``1``, ``0``); None where it is neither."""
        word = (self.word(field) or "").lower()
        return True if word in _YES else False if word in _NO else None


@dataclass(frozen=True)
class GpuTable:
    """The table; ``remarks`` are lines that are no table, such as ``Unable to determine the device
    handle``.
    """

    fields: tuple[str, ...]
    gpus: tuple[GpuLine, ...]
    remarks: tuple[str, ...]

    @property
    def distinct(self) -> int:
        """How many GPUs there are, by their UUIDs."""
        return len({gpu.word("uuid") for gpu in self.gpus} - {None})

    @property
    def lost(self) -> tuple[str, ...]:
        """Remarks that say that a GPU, or the driver, cannot be reached."""
        return tuple(remark for remark in self.remarks if _LOST.search(remark))


def parse_nvidia_smi_csv(text: str) -> GpuTable:
    """Read the table; ParseError where there is no title line, or a line has another number of columns than
    it.
    """
    lines = [(number, line.strip()) for number, line in enumerate(clean_lines(text), start=1) if line.strip()]
    start = next((index for index, (_, line) in enumerate(lines) if _titles(line)), None)
    if start is None:
        remarks = [line for _, line in lines if _LOST.search(line)]
        if not remarks:
            raise ParseError(tool=TOOL, reason="there is no title line in it")
        return GpuTable((), (), tuple(remark[:300] for remark in remarks))
    titles = _titles(lines[start][1])
    gpus, remarks = [], []
    for number, line in lines[:start] + lines[start + 1 :]:
        words = [word.strip() for word in line.split(",")]
        if len(words) == len(titles) and not _titles(line):
            gpus.append(_gpu(titles, words))
        elif _LOST.search(line) or "," not in line:
            remarks.append(line[:300])
        else:
            raise ParseError(
                tool=TOOL, reason=f"{len(words)} columns where the title has {len(titles)}", line=number
            )
    return GpuTable(tuple(name for name, _ in titles), tuple(gpus), tuple(remarks))


def _titles(line: str) -> tuple[tuple[str, str], ...]:
    """The (field, unit) pairs of a title line; none where the line is no title line."""
    matches = [_TITLE.fullmatch(word.strip()) for word in line.split(",")]
    found = [(match.group("name"), match.group("unit") or "") for match in matches if match is not None]
    return tuple(found) if len(found) == len(matches) > 1 and found[0][0] == "index" else ()


def _gpu(titles: tuple[tuple[str, str], ...], words: list[str]) -> GpuLine:
    values = []
    for index, (name, unit) in enumerate(titles):
        word = words[index]
        values.append((name, word[: -len(unit)].strip() if unit and word.endswith(unit) else word))
    return GpuLine(tuple(values))
