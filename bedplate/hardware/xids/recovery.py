"""Reads Xid 154, in which the driver itself says what a GPU needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.hardware.xids.policy import IGNORE, MONITOR, REBOOT, RESET
from bedplate.hardware.xids.policy import fails_node as _fails_node

_LINE = re.compile(
    r"recovery action changed\b.*?\bto\s+(?P<number>0x[0-9a-f]+)(?:\s*\((?P<words>[^)]*)\))?", re.IGNORECASE
)


@dataclass(frozen=True)
class RecoveryAction:
    """What the driver asks for: its number and words, and our policy for it.

    ``known`` is false for a number that NVML does not list; the policy is a reset then, for the driver asks
    for something.
    """

    number: int
    words: str
    policy: str
    known: bool

    @property
    def fails_node(self) -> bool:
        """Whether the node is unfit for the next job."""
        return _fails_node(self.policy)


# The words differ between drivers ("Node Reboot Required", "OS Reboot"); the numbers are NVML's and do not.
_BY_NUMBER = {
    0: ("None", IGNORE),
    1: ("GPU Reset Required", RESET),
    2: ("Node Reboot Required", REBOOT),
    3: ("Drain P2P", MONITOR),
    4: ("Drain and Reset", RESET),
}


def recovery_action(text: str) -> RecoveryAction | None:
    """Return the action that a line of Xid 154 ends at, or ``None`` if the text is no such line."""
    found = _LINE.search(text)
    if found is None:
        return None
    number = int(found["number"], 16)
    usual, policy = _BY_NUMBER.get(number, ("", RESET))
    return RecoveryAction(number, found["words"] or usual, policy, number in _BY_NUMBER)
