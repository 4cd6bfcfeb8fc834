"""The NVLink table of ``dcgmi nvlink -s``: per GPU one line of U (up), D (down), X (disabled), _ (not
supported).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, whole

TOOL = "dcgmi nvlink -s"

_HEAD = re.compile(
    r"^[\s|]*(?P<what>gpuId|GPU|physicalId|nvSwitch|switchId|Switch)\s+(?P<id>\d{1,4})\s*:?[\s|]*$",
    re.IGNORECASE,
)
_LINKS = re.compile(r"^[\s|]*(?P<links>[UDX_](?:\s+[UDX_])*)[\s|]*$")


@dataclass(frozen=True)
class LinkLine:
    """One GPU's or switch's links, one letter each, in order."""

    is_gpu: bool
    id: int
    links: str

    @property
    def up(self) -> int:
        """How many links are up."""
        return self.links.count("U")

    @property
    def down(self) -> tuple[int, ...]:
        """The indices of links that are down."""
        return tuple(index for index, letter in enumerate(self.links) if letter == "D")

    @property
    def disabled(self) -> tuple[int, ...]:
        """The indices of links that are disabled."""
        return tuple(index for index, letter in enumerate(self.links) if letter == "X")


@dataclass(frozen=True)
class LinkTable:
    """All GPUs and switches of the table."""

    gpus: tuple[LinkLine, ...]
    switches: tuple[LinkLine, ...]


def parse_dcgmi_nvlink(text: str) -> LinkTable:
    """Read the table; ParseError where no GPU is in it, a GPU has no line of links, or one is there twice."""
    found: list[LinkLine] = []
    head: tuple[bool, int] | None = None
    head_line = 0
    for number, line in enumerate(clean_lines(text), start=1):
        title, links = _HEAD.match(line), _LINKS.match(line)
        if title is not None:
            _refuse_bare_head(head, head_line)
            head = (title.group("what").lower() in {"gpuid", "gpu"}, whole(title.group("id")) or 0)
            head_line = number
        elif links is not None:
            if head is None:
                raise ParseError(tool=TOOL, reason="links that belong to no GPU", line=number)
            found.append(LinkLine(head[0], head[1], re.sub(r"\s+", "", links.group("links"))))
            head = None
    _refuse_bare_head(head, head_line)
    gpus = tuple(line for line in found if line.is_gpu)
    if not gpus:
        raise ParseError(tool=TOOL, reason="there is no GPU in it")
    if len({gpu.id for gpu in gpus}) != len(gpus):
        raise ParseError(tool=TOOL, reason="a GPU is in it twice")
    return LinkTable(gpus, tuple(line for line in found if not line.is_gpu))


def _refuse_bare_head(head: tuple[bool, int] | None, line: int) -> None:
    if head is not None:
        raise ParseError(
            tool=TOOL, reason=f"{'GPU' if head[0] else 'switch'} {head[1]} has no line of links", line=line
        )
