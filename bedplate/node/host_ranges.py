"""Slurm's short form of many names: ``gpu-[1-3,7]``; what it is written as, and read from."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

_NUMBERED = re.compile(r"^(?P<stem>.*?)(?P<number>[0-9]{1,9})$")
_RANGE = re.compile(r"^(?P<low>[0-9]{1,9})(?:-(?P<high>[0-9]{1,9}))?$")
_MOST_NAMES = 100_000


def short_form(names: Sequence[str]) -> str:
    """Names by stem, in the order in which stems appear; numbers rise, and keep their leading zeros."""
    stems: Dict[Tuple[str, int], List[int]] = {}
    for name in dict.fromkeys(names):
        match = _NUMBERED.match(name)
        if match is None:
            stems[(name, 0)] = []
            continue
        # gpu-9 and gpu-10 are of one stem, gpu-09 and gpu-9 are not: the width counts where there are zeros.
        digits = match["number"]
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        stems.setdefault((match["stem"], width), []).append(int(digits))
    return ",".join(_one(stem, width, sorted(numbers)) for (stem, width), numbers in stems.items())


def names_in(text: str) -> List[str]:
    """The names of a short form, in its order. ``ValueError`` for what is none, and beyond 100,000 names."""
    names: List[str] = []
    for part in _parts(text):
        stem, bracket, inside = part.partition("[")
        if not bracket:
            names.append(part)
            continue
        if not inside.endswith("]") or not stem:
            raise ValueError(f"{part!r} is not of the form gpu-[1-3,7]")
        for piece in inside[:-1].split(","):
            names += [stem + number for number in _numbers(piece, part)]
        if len(names) > _MOST_NAMES:
            raise ValueError(f"{text[:60]!r} stands for more than {_MOST_NAMES} names")
    return names


def _one(stem: str, width: int, numbers: List[int]) -> str:
    if not numbers:
        return stem
    runs: List[List[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1 and _same_width(number, width):
            runs[-1][1] = number
        else:
            runs.append([number, number])
    pieces = [
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in runs
    ]
    return stem + (pieces[0] if len(pieces) == 1 and runs[0][0] == runs[0][1] else f"[{','.join(pieces)}]")


def _same_width(number: int, width: int) -> bool:
    return width == 0 or len(str(number)) <= width


def _parts(text: str) -> List[str]:
    """Split at commas outside brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    parts.append(text[begin:])
    if depth != 0 or not all(parts):
        raise ValueError(f"{text[:60]!r} is not of the form gpu-[1-3,7]")
    return parts


def _numbers(piece: str, part: str) -> List[str]:
    match = _RANGE.match(piece)
    if match is None:
        raise ValueError(f"{part!r} is not of the form gpu-[1-3,7]")
    low, high = match["low"], match["high"] or match["low"]
    if int(high) < int(low) or int(high) - int(low) > _MOST_NAMES:
        raise ValueError(f"{piece!r} in {part!r} is no range")
    width = len(low) if low.startswith("0") else 0
    return [f"{number:0{width}d}" for number in range(int(low), int(high) + 1)]
