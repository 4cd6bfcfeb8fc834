"""The questions: one file, one id, one rule, one explanation each.

A check is a pure function from what parsers read (and the hardware table) to one verdict. It never passes
on what it could not read.
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.diagnosis.checks import (
    dcgm_level_1,
    dcgm_level_2,
    efa_devices,
    fabric_links,
    fabric_node,
    gpu_count,
    gpu_ecc,
    gpu_row_remap,
    gpu_xid,
    nccl_all_nodes,
    nccl_in_node,
    nccl_transport,
    node_answered,
    node_bootstrap,
    nvlink_status,
)
from bedplate.explanation import CheckRow

_MODULES = (
    dcgm_level_1,
    dcgm_level_2,
    efa_devices,
    fabric_links,
    fabric_node,
    gpu_count,
    gpu_ecc,
    gpu_row_remap,
    gpu_xid,
    nccl_all_nodes,
    nccl_in_node,
    nccl_transport,
    node_answered,
    node_bootstrap,
    nvlink_status,
)

ROWS: Mapping[str, CheckRow] = {module.ROW.id: module.ROW for module in _MODULES}
"""Every check's explanation by its id."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "node": (
        "NOD-001",
        "NOD-002",
        "GPU-001",
        "GPU-002",
        "GPU-003",
        "GPU-004",
        "NVL-001",
        "DCG-001",
        "DCG-002",
    ),
    "fabric": ("EFA-001", "NCL-001", "NCL-002", "NCL-003", "FAB-001", "FAB-002"),
}
"""The pages of ``docs/checks/``: what is asked of each node alone, and what of its links and fabric."""
