"""``dcgmi nvlink -e -g GPU``: a GPU's NVLink error counters, by link; since Blackwell in one sum."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.dcgmi_output import parse_dcgmi_output
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "dcgmi nvlink -e"

_GPU = re.compile(r"^GPU (?P<gpu>\d{1,4})$")
_COUNT = re.compile(r"\d{1,19}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_RATIOS = frozenset({"Symbol BER", "Effective BER"})
"""Error rates, which are never zero on a link that is well, and no counts."""


@dataclass(frozen=True)
class LinkErrors:
    """One GPU: ``counts`` are (link, counter, value), where link is ``Link 0`` or ``Error Detail``."""

    gpu: int
    counts: tuple[tuple[str, str, float], ...]

    @property
    def counted(self) -> tuple[tuple[str, str, float], ...]:
        """The counters without the error rates."""
        return tuple(each for each in self.counts if each[1] not in _RATIOS)

    @property
    def above_zero(self) -> tuple[tuple[str, str, float], ...]:
        """The counters that have counted something."""
        return tuple(each for each in self.counted if each[2] > 0)


def parse_dcgmi_nvlink_errors(text: str) -> LinkErrors:
    """Read JSON or table; ParseError where no GPU is named, no counter is in it, or one is no number."""
    output = parse_dcgmi_output(text, tool=TOOL)
    gpus = [int(match.group("gpu")) for line in output.header if (match := _GPU.match(line.strip()))]
    if len(gpus) != 1:
        raise ParseError(tool=TOOL, reason=f"its head names {len(gpus)} GPUs")
    counts = []
    for link, node in output.body.children.items():
        for name, counter in node.children.items():
            if not _COUNT.fullmatch(counter.value):
                raise ParseError(tool=TOOL, reason=f"{link}: {name} is {counter.value[:40]!r}")
            counts.append((link, name, float(counter.value)))
    if not counts:
        raise ParseError(tool=TOOL, reason="there is no counter in it")
    return LinkErrors(gpus[0], tuple(counts))
