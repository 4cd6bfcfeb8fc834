"""``nvidia-smi nvlink -s``: the speed of every link of every GPU, or that a link, or all, are inactive.

``GPU 0: NVIDIA H200 (UUID: …)``, then ``Link 0: 26.562 GB/s`` or ``Link 3: <inactive>``; where none is up,
one line says that all links are ``inactive`` or, in newer drivers, ``inActive``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "nvidia-smi nvlink -s"

_GPU = re.compile(r"^GPU (?P<gpu>\d{1,4}): (?P<name>.{1,100}?) \(UUID: (?P<uuid>[^)]{1,60})\)$")
_LINK = re.compile(
    r"^\s*Link (?P<link>\d{1,3}): (?:(?P<speed>\d{1,6}(?:\.\d{1,6})?) GB/s|<?(?P<off>in-?active)>?)$",
    re.IGNORECASE,
)
_ALL_OFF = re.compile(r"all links are in-?active", re.IGNORECASE)


@dataclass(frozen=True)
class GpuLinks:
    """One GPU: ``speeds`` are (link, GB/s in one direction), None for a link that is inactive.

    ``all_inactive`` says that the tool could tell nothing else of it.
    """

    gpu: int
    uuid: str
    speeds: tuple[tuple[int, float | None], ...]
    all_inactive: bool = False

    @property
    def active(self) -> int:
        """How many links carry data."""
        return sum(1 for _, speed in self.speeds if speed)


def parse_nvidia_smi_nvlink(text: str) -> tuple[GpuLinks, ...]:
    """Read the text; ParseError where a GPU has no link, or it or a link is there twice, or none is in it."""
    found: list[tuple[int, str, list[tuple[int, float | None]], bool]] = []
    for number, line in enumerate(clean_lines(text), start=1):
        head, link = _GPU.match(line.strip()), _LINK.match(line)
        if head is not None:
            found.append((int(head.group("gpu")), head.group("uuid"), [], False))
        elif link is not None or _ALL_OFF.search(line):
            if not found:
                raise ParseError(tool=TOOL, reason="links that belong to no GPU", line=number)
            gpu, uuid, links, _ = found[-1]
            if link is None:
                found[-1] = (gpu, uuid, links, True)
            else:
                speed = link.group("speed")
                links.append((int(link.group("link")), None if speed is None else float(speed)))
    gpus = tuple(GpuLinks(gpu, uuid, tuple(links), off) for gpu, uuid, links, off in found)
    if not gpus:
        raise ParseError(tool=TOOL, reason="there is no GPU in it")
    if len({each.gpu for each in gpus}) != len(gpus):
        raise ParseError(tool=TOOL, reason="a GPU is in it twice")
    twice = [each.gpu for each in gpus if len(dict(each.speeds)) != len(each.speeds)]
    if twice:
        raise ParseError(tool=TOOL, reason=f"GPU {twice[0]} has a link twice")
    bare = [each.gpu for each in gpus if not each.speeds and not each.all_inactive]
    if bare:
        raise ParseError(tool=TOOL, reason=f"GPU {bare[0]} has no link")
    return gpus
