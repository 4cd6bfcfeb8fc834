"""What each metric shows on a healthy p5en node: at rest, in training, and while a checkpoint is written.

Gauges as they are, counters by their rise in a minute. All figures are invented, in the range of a real node.
"""

from __future__ import annotations

from typing import Literal

State = Literal["rest", "train", "checkpoint"]
Values = tuple[float, float, float]

_MIN = 60.0
GPU: dict[str, Values] = {
    "DCGM_FI_DEV_SM_CLOCK": (345, 1755, 1980),
    "DCGM_FI_DEV_MEM_CLOCK": (3201, 3201, 3201),
    "DCGM_FI_DEV_MEMORY_TEMP": (38, 72, 60),
    "DCGM_FI_DEV_GPU_TEMP": (32, 66, 52),
    "DCGM_FI_DEV_SLOWDOWN_TEMP": (87, 87, 87),
    "DCGM_FI_DEV_POWER_USAGE": (80, 690, 220),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": (700, 700, 700),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": (4.8e6, 4.1e7, 1.3e7),
    "DCGM_FI_DEV_PCIE_LINK_GEN": (5, 5, 5),
    "DCGM_FI_DEV_PCIE_LINK_WIDTH": (16, 16, 16),
    "DCGM_FI_DEV_PCIE_MAX_LINK_GEN": (5, 5, 5),
    "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": (16, 16, 16),
    "DCGM_FI_DEV_GPU_UTIL": (0, 99, 12),
    # At full load a GPU is at its limit nearly all the time.
    "DCGM_FI_DEV_POWER_VIOLATION": (0, 0.8 * _MIN * 1e9, 0),
    "DCGM_FI_DEV_FB_FREE": (143_000, 18_000, 18_000),
    "DCGM_FI_DEV_FB_USED": (500, 125_500, 125_500),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": (0, 7.2e6, 0),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": (0, 0.97, 0.1),
    "DCGM_FI_PROF_SM_ACTIVE": (0, 0.84, 0.02),
    "DCGM_FI_PROF_SM_OCCUPANCY": (0, 0.31, 0.01),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": (0, 0.46, 0),
    "DCGM_FI_PROF_DRAM_ACTIVE": (0, 0.38, 0.01),
    "DCGM_FI_PROF_PCIE_TX_BYTES": (0, 4e9, 6e9),
    "DCGM_FI_PROF_PCIE_RX_BYTES": (0, 4e9, 1e9),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": (0, 1.2e11, 0),
    "DCGM_FI_PROF_NVLINK_RX_BYTES": (0, 1.2e11, 0),
}
"""Others of DCGM's count errors, and stand still."""

_SENT = 2.4e9 * _MIN
EFA: dict[str, Values] = {
    "tx_bytes": (0, _SENT, 0.001 * _SENT),
    "rx_bytes": (0, _SENT, 0.001 * _SENT),
    "tx_pkts": (0, _SENT / 8192, 100),
    "rx_pkts": (0, _SENT / 8192, 100),
    "rdma_write_bytes": (0, _SENT, 0),
    "rdma_write_recv_bytes": (0, _SENT, 0),
    "rdma_write_wrs": (0, _SENT / 1e6, 0),
    # A little is always sent again.
    "retrans_pkts": (0, 300, 0),
    "retrans_bytes": (0, 2.4e6, 0),
}
NODE: dict[str, Values] = {
    "node_load1": (0.4, 30, 12),
    "node_memory_MemTotal_bytes": (2e12, 2e12, 2e12),
    "node_memory_MemAvailable_bytes": (1.9e12, 1.2e12, 0.9e12),
    "node_memory_HugePages_Total": (5128, 5128, 5128),
    "node_memory_HugePages_Free": (5128, 2000, 2000),
    "node_timex_offset_seconds": (2e-5, -3e-5, 4e-5),
    "node_timex_sync_status": (1, 1, 1),
    "node_boot_time_seconds": (-20_000, -20_000, -20_000),
    "node_textfile_scrape_error": (0, 0, 0),
    "bedplate_expected_gpus": (8, 8, 8),
    "bedplate_expected_efas": (16, 16, 16),
    "bedplate_efas": (16, 16, 16),
    "bedplate_bootstrap_done": (1, 1, 1),
    "bedplate_gate_open": (1, 1, 1),
    "bedplate_capacity_end_timestamp_seconds": (10 * 86400, 10 * 86400, 10 * 86400),
}
LUSTRE: dict[str, Values] = {
    "bedplate_lustre_mounted": (1, 1, 1),
    "bedplate_lustre_read_bytes_total": (0, 60e6 * _MIN, 0),
    "bedplate_lustre_written_bytes_total": (0, 1e6 * _MIN, 5e9 * _MIN),
    "bedplate_lustre_operations_total": (0, 2000, 20_000),
}
DISK: dict[str, Values] = {
    "node_disk_read_bytes_total": (1e5, 4e7, 1e6),
    "node_disk_written_bytes_total": (1e6, 2e6, 5e6),
    "node_disk_io_time_seconds_total": (0.1, 6, 12),
}
MOUNT: dict[str, Values] = {
    "node_filesystem_size_bytes": (1e12, 1e12, 1e12),
    "node_filesystem_avail_bytes": (8e11, 6e11, 4e11),
    "node_filesystem_files_free": (3e7, 3e7, 3e7),
    "node_filesystem_readonly": (0, 0, 0),
}
NETWORK: dict[str, Values] = {
    "node_network_receive_bytes_total": (1e6, 1e8, 1e9),
    "node_network_transmit_bytes_total": (1e6, 1e8, 1e9),
}
APPLICATION: dict[str, Values] = {
    "bedplate_training_step_seconds": (0, 2.5, 2.6),
    "bedplate_training_steps_total": (0, 24, 0),
    "bedplate_training_tokens_total": (0, 1e8, 0),
    "bedplate_training_loss": (0, 2.1, 2.1),
}
INDEX: dict[State, int] = {"rest": 0, "train": 1, "checkpoint": 2}
