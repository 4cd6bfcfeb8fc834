"""Units as ``systemctl show --property=Id,LoadState,ActiveState,SubState`` prints them: one block a unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines

TOOL = "systemctl show"


@dataclass(frozen=True)
class UnitState:
    """One unit: ``load`` is loaded, not-found or masked; ``active`` is active, inactive, failed …"""

    load: str
    active: str

    @property
    def running(self) -> bool:
        """Whether it is there and active."""
        return self.load == "loaded" and self.active == "active"


def parse_systemctl_show(text: str) -> Mapping[str, UnitState]:
    """The units by id; ParseError where a block is incomplete or contradicts another, or there is none."""
    blocks: list[dict[str, str]] = [{}]
    for number, line in enumerate(clean_lines(text), start=1):
        name, equals, value = line.partition("=")
        if not line.strip():
            blocks.append({})
        elif not equals:
            raise ParseError(tool=TOOL, reason=f"{line[:80]!r} is no property", line=number)
        elif blocks[-1].setdefault(name.strip(), value.strip()) != value.strip():
            raise ParseError(tool=TOOL, reason=f"{name} has two values", line=number)
    found: dict[str, UnitState] = {}
    for block in filter(None, blocks):
        lacking = [name for name in ("Id", "LoadState", "ActiveState") if not block.get(name)]
        if lacking:
            raise ParseError(tool=TOOL, reason=f"a unit has no {lacking[0]}")
        state = UnitState(block["LoadState"], block["ActiveState"])
        if found.setdefault(block["Id"], state) != state:
            raise ParseError(tool=TOOL, reason=f"{block['Id']} has two states")
    if not found:
        raise ParseError(tool=TOOL, reason="there is no unit in it")
    return found
