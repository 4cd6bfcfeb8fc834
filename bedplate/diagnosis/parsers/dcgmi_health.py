"""``dcgmi health -c``: what DCGM's background watches have seen, where somebody has set them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.diagnosis.parsers.dcgmi_output import OutputNode, parse_dcgmi_output
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "dcgmi health -c"
HEALTHY, WARNING, FAILURE = "healthy", "warning", "failure"
_STATES = frozenset({HEALTHY, WARNING, FAILURE})
_NOT_SET = "health watches not enabled"


@dataclass(frozen=True)
class HealthIncident:
    """What one system of one part reports: ``part`` is ``GPU 0``, ``system`` is ``PCIe system``."""

    part: str
    system: str
    state: str
    text: str


@dataclass(frozen=True)
class HealthReport:
    """``watched`` is False where no watch was set: then nothing was seen, and nothing is said."""

    watched: bool
    overall: str
    incidents: tuple[HealthIncident, ...]


def parse_dcgmi_health(text: str) -> HealthReport:
    """Read JSON or table; ParseError where it is neither, or holds no overall state."""
    if _NOT_SET in text.lower():
        return HealthReport(watched=False, overall="", incidents=())
    output = parse_dcgmi_output(text, tool=TOOL)
    overall = output.body.children.get("Overall Health")
    if overall is None or overall.value.lower() not in _STATES:
        told = "none" if overall is None else repr(overall.value[:40])
        raise ParseError(tool=TOOL, reason=f"the overall health is {told}")
    incidents = tuple(_incidents(output.body))
    return HealthReport(watched=True, overall=overall.value.lower(), incidents=incidents)


def _incidents(body: OutputNode) -> Iterator[HealthIncident]:
    for group, parts in body.children.items():
        for part, entity in parts.children.items():
            errors = entity.children.get("Errors", OutputNode())
            for system, node in errors.children.items():
                state = node.value.lower()
                if state not in _STATES:
                    raise ParseError(tool=TOOL, reason=f"{group} {part}: {system} is {node.value[:40]!r}")
                yield HealthIncident(f"{group} {part}", system, state, " ".join(node.overflow)[:300])
