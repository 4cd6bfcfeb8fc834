"""What is done about each Xid: this project's policy and AWS's, apart from what NVIDIA says that it means.

An environment may set another policy for a code (``validation.xid_policies``), without touching the meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.hardware.xids.policy import IGNORE, MONITOR, REBOOT, REPLACE, RESET, RESTART_APP
from bedplate.hardware.xids.rows import ENGINE_ROWS

_CC = "Confidential computing only."
_BY_SUB_CODE = "The sub-code decides (nvlink5); on its own the code says nothing about severity."

# Code, policy, and why it differs from NVIDIA's action or what else decides.
_ROWS: tuple[tuple[int, str, str], ...] = (
    (8, RESTART_APP, ""),
    (11, RESTART_APP, ""),
    (13, RESTART_APP, "Repeated on the same GPU over several programs, suspect the hardware."),
    (25, RESTART_APP, ""),
    (31, RESTART_APP, "Repeated on the same GPU over several programs, suspect the hardware."),
    (32, RESTART_APP, ""),
    (37, MONITOR, ""),
    (38, MONITOR, ""),
    (43, IGNORE, ""),
    (44, MONITOR, ""),
    (
        45,
        IGNORE,
        "A consequence: follow the Xid that it names or that came before. Alone, restart the application.",
    ),
    (46, RESET, ""),
    (
        48,
        RESET,
        "171 or 172 beside it tells DRAM from SRAM; with 63 the row was remapped, with 64 it was not.",
    ),
    (54, REPLACE, "A tenant of EC2 cannot check cables."),
    (60, RESTART_APP, ""),
    (62, RESET, ""),
    (
        63,
        MONITOR,
        "The repair working. Reset when the job ends; replace if a failure flag is set or it comes again.",
    ),
    (
        64,
        REPLACE,
        "A reset does not mend it and field diagnostics are not for tenants; AWS isolates such nodes.",
    ),
    (66, MONITOR, ""),
    (67, MONITOR, ""),
    (69, RESTART_APP, ""),
    (74, RESET, "If it comes again after a reset, replace."),
    (78, MONITOR, ""),
    (
        79,
        REPLACE,
        "A tenant of EC2 cannot power-cycle the host; stop and start, or a new instance, lands on another.",
    ),
    (80, RESTART_APP, ""),
    (86, RESTART_APP, ""),
    (92, MONITOR, ""),
    (93, MONITOR, ""),
    (94, RESTART_APP, "Reset when convenient."),
    (95, RESET, ""),
    (109, RESET, ""),
    (110, RESET, ""),
    (119, RESET, ""),
    (120, RESET, ""),
    (121, MONITOR, ""),
    (136, RESET, ""),
    (137, MONITOR, ""),
    (139, RESTART_APP, ""),
    (140, RESET, ""),
    (141, MONITOR, ""),
    (142, MONITOR, "Training and inference use no video encoder."),
    (143, RESET, ""),
    (144, MONITOR, _BY_SUB_CODE),
    (145, MONITOR, _BY_SUB_CODE),
    (146, MONITOR, _BY_SUB_CODE),
    (147, MONITOR, _BY_SUB_CODE),
    (148, MONITOR, _BY_SUB_CODE),
    (149, MONITOR, _BY_SUB_CODE),
    (150, MONITOR, _BY_SUB_CODE),
    (151, REBOOT, _CC),
    (152, IGNORE, ""),
    (153, IGNORE, ""),
    (
        154,
        MONITOR,
        "Do what the line says (recovery_action); of several lines for one GPU the last is its state.",
    ),
    (155, RESET, ""),
    (156, RESET, ""),
    (157, MONITOR, ""),
    (158, RESET, ""),
    (159, MONITOR, ""),
    (160, IGNORE, ""),
    (161, MONITOR, ""),
    (162, IGNORE, "Cancels an earlier 163."),
    (163, MONITOR, ""),
    (164, MONITOR, ""),
    (165, MONITOR, ""),
    (166, MONITOR, _CC),
    (167, REBOOT, "NVIDIA gives no action; the name says fatal, so the node is not trusted as it is."),
    (168, REBOOT, "As AWS's health check does."),
    (169, RESET, "NVIDIA gives no action; treated as 62."),
    (170, MONITOR, _CC),
    (171, MONITOR, "Follow 48."),
    (172, MONITOR, "Follow 48."),
)

POLICIES_BY_XID: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        **{code: (policy, note) for code, policy, note in _ROWS},
        **{row[0]: (RESTART_APP, "") for row in ENGINE_ROWS},
    }
)
"""Xid → this project's policy (one of ``policy.POLICIES``) and the note on it."""

EC2_REPLACES = frozenset(
    (46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158)
)
"""Codes after which AWS's node monitoring agent has the node replaced; stricter than NVIDIA at 63 and 142."""
