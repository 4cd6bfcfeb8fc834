"""NVIDIA's decode table for Xid 144 to 150, as far as a policy needs it.

Source: NVIDIA Xid catalogue, sheet "Xid 144-150 Decode", as mirrored by leptonai/gpud:
components/accelerator/nvidia/xid/catalog_generated.go.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware.xids.policy import IGNORE, MONITOR, RESET

FOLLOW_154 = "xid-154"
"""A line of Xid 154 decides."""


@dataclass(frozen=True)
class UnitRule:
    """What a unit's error status asks for. ``bits``: it is a mask of single errors, else one value."""

    actions: dict[int, str]
    bits: bool = True


_SOFTWARE = 0x8000_0000
"""The bit that software sets in every unit; NVIDIA says to ignore it."""

_TLW = UnitRule({0x1: IGNORE, 0x2: MONITOR, 0x4: RESET, _SOFTWARE: IGNORE})

RULES: dict[tuple[int, str], UnitRule] = {
    (144, "SAW_MVB"): UnitRule(
        {0x1: MONITOR, 0x2: RESET, 0x4: IGNORE, 0x8: MONITOR, 0x10: RESET, 0x20: IGNORE}
    ),
    (145, "RLW_CTRL"): UnitRule({_SOFTWARE: IGNORE}),
    (145, "RLW_REMAP"): UnitRule(
        {
            **dict.fromkeys((0x1, 0x2, 0x4, 0x8, 0x10, 0x20), FOLLOW_154),
            **dict.fromkeys((0x40, 0x80), RESET),
            **dict.fromkeys((0x100, 0x200), IGNORE),
            _SOFTWARE: IGNORE,
        }
    ),
    (145, "RLW_RSPCOL"): UnitRule({0x1: IGNORE, 0x2: RESET, _SOFTWARE: IGNORE}),
    # 0x1 to 0x4 may lose packets: NVIDIA says to ignore them, and names a reset as a second action.
    (145, "RLW_RXPIPE"): UnitRule(
        {0x1: MONITOR, 0x2: MONITOR, 0x4: MONITOR, 0x8: MONITOR, _SOFTWARE: IGNORE}
    ),
    (145, "RLW_SRC_TRACK"): UnitRule(
        {
            **dict.fromkeys((0x1, 0x10, 0x20), RESET),
            **dict.fromkeys((0x4, 0x8), FOLLOW_154),
            0x2: IGNORE,
            _SOFTWARE: IGNORE,
        }
    ),
    (145, "RLW_TAGSTATE"): UnitRule(
        {
            **dict.fromkeys((0x2, 0x2_0000, 0x10_0000), RESET),
            **dict.fromkeys((0x1, 0x1_0000), IGNORE),
            _SOFTWARE: IGNORE,
        }
    ),
    (146, "TLW_CTRL"): _TLW,
    (146, "TLW_RX"): _TLW,
    (146, "TLW_RX_PIPE0"): _TLW,
    (146, "TLW_RX_PIPE1"): _TLW,
    (146, "TLW_TX"): _TLW,
    (146, "TLW_TX_PIPE0"): _TLW,
    (146, "TLW_TX_PIPE1"): _TLW,
    (147, "TREX"): UnitRule({0x1: IGNORE, _SOFTWARE: IGNORE}),
    (148, "NVLPW_CTRL"): UnitRule({_SOFTWARE: IGNORE}),
    (148, "NVLPW"): UnitRule({_SOFTWARE: IGNORE}),
    (149, "NETIR"): UnitRule({0x0: RESET}, bits=False),
    (149, "NETIR_INT"): UnitRule({0x0: RESET}, bits=False),
    # Bit errors: nothing to do at once, but the link and its cables want a look.
    (149, "NETIR_BER_EVENT"): UnitRule(dict.fromkeys((0, 1, 2, 3), MONITOR), bits=False),
    (149, "NETIR_MFDE_EVENT"): UnitRule(
        {0x1: RESET, 0x3: IGNORE, 0x4: RESET, 0x5: RESET, 0x7: RESET}, bits=False
    ),
    (150, "MSE_WATCHDOG"): UnitRule({0x0: RESET}, bits=False),
}
"""By Xid and unit. All of these have sub-code 0."""

LINK_DOWN: dict[int, tuple[str, bool]] = {
    **dict.fromkeys((0, 1, 2, 4, 10, 15, 16, 17, 18, 22, 42, 43), (RESET, False)),
    **dict.fromkeys((21, 32, 33, 34, 35, 36, 37), (RESET, True)),
    **dict.fromkeys((38, 40), (IGNORE, False)),
}
"""Xid 149, a link that went down: action by sub-code, and whether the other end is the source."""
