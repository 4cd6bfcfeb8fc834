"""The questions: one file, one id, one rule, one explanation each.

A check is a pure function from what parsers read (and the hardware table) to one verdict. It never passes
on what it could not read.
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.diagnosis.check import EXERCISE, PROBE, Check
from bedplate.diagnosis.checks import (
    association_round_trip,
    clock_offset,
    dcgm_level_1,
    dcgm_level_2,
    dcgm_level_3,
    dcgm_level_4,
    efa_counters,
    efa_devices,
    efa_loopback,
    fabric_links,
    fabric_node,
    file_system_speed,
    file_systems_mounted,
    gdrcopy,
    gpu_clocks,
    gpu_count,
    gpu_ecc,
    gpu_matrix_rate,
    gpu_memory_rate,
    gpu_pcie,
    gpu_row_remap,
    gpu_services,
    gpu_xid,
    huge_pages,
    imex_domain,
    nccl_all_nodes,
    nccl_in_node,
    nccl_nvlink_domain,
    nccl_transport,
    node_answered,
    node_bootstrap,
    node_offers,
    nvlink_errors,
    nvlink_status,
    nvme_array,
    nvme_speed,
    software_versions,
    version_skew,
)
from bedplate.explanation import CheckRow

# In the order in which a report names them: the node, its GPUs, its network, then what lies between nodes.
CHECKS: tuple[Check, ...] = (
    node_answered.CHECK,
    node_bootstrap.CHECK,
    node_offers.CHECK,
    huge_pages.CHECK,
    clock_offset.CHECK,
    gpu_count.CHECK,
    gpu_ecc.CHECK,
    gpu_row_remap.CHECK,
    gpu_xid.CHECK,
    gpu_pcie.CHECK,
    gpu_clocks.CHECK,
    gpu_services.CHECK,
    nvlink_status.CHECK,
    efa_devices.CHECK,
    nvme_array.CHECK,
    nvme_speed.CHECK,
    file_systems_mounted.CHECK,
    file_system_speed.CHECK,
    association_round_trip.CHECK,
    efa_loopback.CHECK,
    efa_counters.CHECK,
    gdrcopy.CHECK,
    dcgm_level_1.CHECK,
    dcgm_level_2.CHECK,
    dcgm_level_3.CHECK,
    dcgm_level_4.CHECK,
    gpu_matrix_rate.CHECK,
    gpu_memory_rate.CHECK,
    imex_domain.CHECK,
    nvlink_errors.CHECK,
    nccl_in_node.CHECK,
    software_versions.CHECK,
    version_skew.CHECK,
    nccl_transport.CHECK,
    nccl_all_nodes.CHECK,
    nccl_nvlink_domain.CHECK,
    fabric_node.CHECK,
    fabric_links.CHECK,
)
"""Every check that validation makes."""

PROBE_CHECKS = tuple(check for check in CHECKS if check.stage == PROBE)
EXERCISE_CHECKS = tuple(check for check in CHECKS if check.stage == EXERCISE)
KEEP_OUT = frozenset(check.id for check in CHECKS if check.keeps_out)
"""Who fails one of these is left out of tests with other nodes."""
CLUSTER_CHECKS = frozenset(check.id for check in CHECKS if check.subject == "cluster")

ROWS: Mapping[str, CheckRow] = {check.id: check.row for check in CHECKS}
"""Every check's explanation by its id."""

_FABRIC = ("EFA", "NCL", "FAB")
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "node": tuple(each for each in ROWS if each[:3] not in _FABRIC),
    "fabric": tuple(each for each in ROWS if each[:3] in _FABRIC),
}
"""The pages of ``docs/checks/``: what is asked of each node alone, and what of its links and fabric."""
