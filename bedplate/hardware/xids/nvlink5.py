"""Reads the sub-codes of Xid 144 to 150, the NVLink 5 errors of Blackwell (NVIDIA's decode table).

A line says, e.g., ``149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x021425c6 0x00000000 …)``: the unit, a word
of severity, and hex words. Bits 20 to 25 of the first word are the sub-code, the second word is the error
status. Drivers before R575 print one word in brackets, which this table does not cover.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.hardware.xids.nvlink5_rules import FOLLOW_154, LINK_DOWN, RULES
from bedplate.hardware.xids.policy import MONITOR, RESET, severest
from bedplate.hardware.xids.policy import fails_node as _fails_node

_LINE = re.compile(
    r"\b(?P<code>14[4-9]|150),\s*(?:pid=\S+,\s*)?(?:name=\S+,\s*)?(?P<unit>[A-Z][A-Z0-9_]+)"
    r"\s+(?P<severity>Fatal|Non-?fatal)\b"
    r"(?:.*?\bLink\s+(?P<link>-?\d+))?"
    r"(?:.*?\((?P<words>0x[0-9a-f]+(?:\s+0x[0-9a-f]+)+)\))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NvLinkReading:
    """What one line of Xid 144 to 150 says.

    ``policy`` is one of ``policy.POLICIES``. ``peer_suspected`` is true if the other end of the link is the
    source, so that the GPU in the line is the victim. ``follow_154`` is true if a line of Xid 154 decides.
    ``known`` is false if NVIDIA's table lacks this event or a part of it; the word of severity counts then.
    """

    code: int
    unit: str
    fatal: bool
    link: int | None
    sub_code: int | None
    error_status: int | None
    policy: str
    peer_suspected: bool
    follow_154: bool
    known: bool

    @property
    def fails_node(self) -> bool:
        """Whether the node is unfit for the next job."""
        return _fails_node(self.policy)

    @property
    def label(self) -> str:
        """The event's short name, e.g. ``149.33``."""
        return str(self.code) if self.sub_code is None else f"{self.code}.{self.sub_code}"


def read_nvlink5(text: str) -> NvLinkReading | None:
    """Return the reading of a kernel log line, or ``None`` if it holds no Xid of 144 to 150 with a unit."""
    found = _LINE.search(text)
    if found is None:
        return None
    words = [int(word, 16) for word in (found["words"] or "").split()]
    return decode_nvlink5(
        code=int(found["code"]),
        unit=found["unit"].upper(),
        fatal=found["severity"].lower() == "fatal",
        words=words,
        link=int(found["link"]) if found["link"] else None,
    )


def decode_nvlink5(
    *, code: int, unit: str, fatal: bool, words: list[int], link: int | None = None
) -> NvLinkReading:
    """Return what NVIDIA's table says of these words.

    Where the table lacks the event or one of its error bits, the word of severity counts too: a fatal event
    asks for a reset, any other is worth watching. What is not understood never makes an event milder.
    """
    sub_code = (words[0] >> 20) & 0x3F if len(words) > 1 else None
    status = words[1] if len(words) > 1 else None
    actions, peer, whole = _table(code, unit, sub_code, status)
    weights = [MONITOR if action == FOLLOW_154 else action for action in actions]
    if not whole:
        weights.append(RESET if fatal else MONITOR)
    return NvLinkReading(
        code=code,
        unit=unit,
        fatal=fatal,
        link=link,
        sub_code=sub_code,
        error_status=status,
        policy=severest(*weights),
        peer_suspected=peer,
        follow_154=FOLLOW_154 in actions,
        known=whole,
    )


def _table(
    code: int, unit: str, sub_code: int | None, status: int | None
) -> tuple[tuple[str, ...], bool, bool]:
    """The table's actions for one event, whether it blames the peer, and whether it knows the whole event."""
    if sub_code is None or status is None:
        return (), False, False
    if code == 149 and unit in ("NETIR_LINK_EVT", "NETIR_LINK_DOWN"):
        action, peer = LINK_DOWN.get(sub_code, ("", False))
        return ((action,) if action else ()), peer, bool(action)
    rule = RULES.get((code, unit))
    if rule is None or sub_code != 0:
        return (), False, False
    parts = [1 << index for index in range(32) if status >> index & 1] if rule.bits else [status]
    known = tuple(rule.actions[part] for part in parts if part in rule.actions)
    return known, False, bool(parts) and len(known) == len(parts)
