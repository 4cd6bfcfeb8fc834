"""One node: its GPUs, its links, its disks and its services, to find what is wrong with it."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import NODE, to_job_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines, states
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT
from bedplate.telemetry.dashboards.scope import NODE as THIS
from bedplate.telemetry.dashboards.table import Column, listing

_RATE = "[$__rate_interval]"
_BY_GPU = "max by (gpu)"
"""A GPU has series of their own for each job that it had."""

_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "Exporters that answer",
                "Of this node: the node exporter and dcgm-exporter make two.",
                now(f"sum(up{{{THIS}}})"),
                levels=levels.ONE_IS_GOOD,
                width=3,
            ),
            figure(
                "GPUs lost",
                "GPUs that the instance type has and that nobody reports.",
                now(f"max(bedplate:gpus_missing{{{THIS}}})"),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "EFA devices lost",
                "Devices that the node was launched with and that its kernel does not show.",
                now(f"sum(bedplate_expected_efas{{{THIS}}}) - sum(bedplate_efas{{{THIS}}})"),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "Bootstrap",
                "Whether every step of this boot is done.",
                now(f"min(bedplate_bootstrap_done{{{THIS}}})"),
                levels=levels.ONE_IS_GOOD,
                words={"0": "not done", "1": "done"},
                width=3,
            ),
            figure(
                "Gate",
                "Whether the node has passed the gate since it booted.",
                now(f"min(bedplate_gate_open{{{THIS}}})"),
                levels=levels.ONE_IS_GOOD,
                words={"0": "shut", "1": "open"},
                width=3,
            ),
            figure(
                "In Slurm",
                "The state that Slurm has the node in.",
                now(
                    f'bedplate_slurm_node_state{{{ENVIRONMENT},slurm_node="$node"}} == 1',
                    "{{state}}",
                ),
                shown_by_name=True,
                width=3,
            ),
            figure(
                "Up for",
                "Since the node booted.",
                now(f"time() - max(node_boot_time_seconds{{{THIS}}})"),
                unit=units.DURATION,
                width=3,
            ),
            figure(
                "Clock",
                "Its distance from its source. Munge and logs suffer first.",
                now(f"max(abs(node_timex_offset_seconds{{{THIS}}}))"),
                unit=units.SECONDS,
                levels=levels.CLOCK_OFFSET,
                width=3,
            ),
        ),
        (
            listing(
                "Jobs on this node",
                "A click on a job opens it.",
                Column(
                    title="",
                    expression="max by (hpc_job, job_name, account, partition, gpus)"
                    f" (bedplate_job_node{{{THIS}}})",
                ),
                labels=(
                    ("hpc_job", "job"),
                    ("job_name", "name"),
                    ("account", "account"),
                    ("partition", "partition"),
                    ("gpus", "GPUs"),
                ),
                links={"hpc_job": to_job_of_cell()},
                width=12,
                height=6,
            ),
            listing(
                "Place",
                "Where the node is: a straggler's neighbours share its switch or its UltraServer.",
                Column(
                    title="",
                    expression="max by (instance_id, instance_type, zone, ultraserver, network_node)"
                    f" (bedplate_node_info{{{THIS}}})",
                ),
                labels=(
                    ("instance_id", "instance"),
                    ("instance_type", "type"),
                    ("zone", "zone"),
                    ("ultraserver", "UltraServer"),
                    ("network_node", "switch"),
                ),
                width=12,
                height=6,
            ),
        ),
    ),
)

_GPUS = Band(
    title="GPUs",
    lines=(
        (
            lines(
                "SM activity by GPU",
                "The share of SM cycles with work, GPU by GPU.",
                over_time(f"{_BY_GPU} (DCGM_FI_PROF_SM_ACTIVE{{{THIS}}})", "GPU {{gpu}}"),
                names_only=True,
                unit=units.SHARE,
                top=1,
                width=8,
            ),
            lines(
                "SM clock by GPU",
                "A GPU that slows itself down shows it here.",
                over_time(f"{_BY_GPU} (DCGM_FI_DEV_SM_CLOCK{{{THIS}}}) * 1e6", "GPU {{gpu}}"),
                names_only=True,
                unit=units.HERTZ,
                width=8,
            ),
            lines(
                "Power by GPU",
                "Far below its neighbours at full utilisation: a hung kernel, or a GPU that waits.",
                over_time(f"{_BY_GPU} (DCGM_FI_DEV_POWER_USAGE{{{THIS}}})", "GPU {{gpu}}"),
                names_only=True,
                unit=units.WATTS,
                width=8,
            ),
        ),
        (
            lines(
                "Temperature by GPU, of slowdown",
                "As a share of the temperature at which the GPU slows itself down.",
                over_time(
                    f"{_BY_GPU} (DCGM_FI_DEV_GPU_TEMP{{{THIS}}} / DCGM_FI_DEV_SLOWDOWN_TEMP{{{THIS}}})",
                    "GPU {{gpu}}",
                ),
                names_only=True,
                unit=units.SHARE,
                levels=levels.NEAR_SLOWDOWN,
                width=8,
            ),
            lines(
                "Memory by GPU",
                "Used memory.",
                over_time(f"{_BY_GPU} (DCGM_FI_DEV_FB_USED{{{THIS}}}) * 1048576", "GPU {{gpu}}"),
                names_only=True,
                unit=units.BYTES,
                width=8,
            ),
            lines(
                "NVLink by GPU",
                "Sent to the other GPUs of the node or the UltraServer.",
                over_time(f"{_BY_GPU} (DCGM_FI_PROF_NVLINK_TX_BYTES{{{THIS}}})", "GPU {{gpu}}"),
                names_only=True,
                unit=units.BYTES_A_SECOND,
                width=8,
            ),
        ),
        (
            listing(
                "Faults by GPU",
                "Counters since the driver was loaded. The page of GPU health says what they mean.",
                Column(
                    title="corrected",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{{{THIS}}})",
                ),
                Column(
                    title="uncorrected",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{THIS}}})",
                    levels=levels.NONE_IS_GOOD,
                ),
                Column(
                    title="remap failed",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_ROW_REMAP_FAILURE{{{THIS}}})",
                    levels=levels.NONE_IS_GOOD,
                ),
                Column(
                    title="reset pending",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_ROW_REMAP_PENDING{{{THIS}}})",
                    levels=levels.NONE_IS_CALM,
                ),
                Column(
                    title="PCIe replays",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{THIS}}})",
                ),
                Column(
                    title="recovery action",
                    expression=f"max by (gpu, pci_bus_id) (DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION{{{THIS}}})",
                    levels=levels.NONE_IS_GOOD,
                ),
                labels=(("gpu", "GPU"), ("pci_bus_id", "PCI bus")),
                sort_by="GPU",
                smallest_first=True,
                width=14,
                height=9,
            ),
            listing(
                "Xids in the kernel log",
                "Since the node booted, with what Bedplate does about each.",
                Column(
                    title="times",
                    expression=f"max by (xid, pci_bus_id, policy) (bedplate_xid_total{{{THIS}}})",
                ),
                labels=(("xid", "Xid"), ("pci_bus_id", "PCI bus"), ("policy", "policy")),
                width=10,
                height=9,
            ),
        ),
    ),
)

_EFA = Band(
    title="EFA",
    lines=(
        (
            lines(
                "Sent by device",
                "One device far below the others carries less than its share.",
                over_time(f"rate(node_amazonefa_tx_bytes{{{THIS}}}{_RATE})", "{{device}}"),
                unit=units.BYTES_A_SECOND,
            ),
            lines(
                "Sent again by device",
                "Packets a second; the line is what AWS's own agent calls bad.",
                over_time(f"rate(node_amazonefa_retrans_pkts{{{THIS}}}{_RATE})", "{{device}}"),
                unit=units.PACKETS_A_SECOND,
                levels=levels.bad_efa_rate("retrans_pkts"),
            ),
        ),
    ),
)

_HOST = Band(
    title="Host",
    lines=(
        (
            lines(
                "Load",
                "Processes at work or waiting, over a minute.",
                over_time(f"node_load1{{{THIS}}}", "load"),
                width=8,
            ),
            lines(
                "Memory that programs can have",
                "Where it comes near nothing, the kernel ends processes.",
                over_time(f"node_memory_MemAvailable_bytes{{{THIS}}}", "available"),
                over_time(f"node_memory_MemTotal_bytes{{{THIS}}}", "all"),
                unit=units.BYTES,
                width=8,
            ),
            lines(
                "Free by mount",
                "As a share of the file system.",
                over_time(
                    f"node_filesystem_avail_bytes{{{THIS}}} / node_filesystem_size_bytes{{{THIS}}}",
                    "{{mountpoint}}",
                ),
                unit=units.SHARE,
                top=1,
                width=8,
            ),
        ),
        (
            lines(
                "Disks",
                "Local disks, read and written.",
                over_time(f"rate(node_disk_read_bytes_total{{{THIS}}}{_RATE})", "{{device}} read"),
                over_time(f"rate(node_disk_written_bytes_total{{{THIS}}}{_RATE})", "{{device}} written"),
                unit=units.BYTES_A_SECOND,
                width=8,
            ),
            states(
                "Services",
                "Services that jobs need: whether each is active.",
                over_time(f'max by (name) (node_systemd_unit_state{{{THIS},state="active"}})', "{{name}}"),
                words={"0": ("not active", levels.BAD), "1": ("active", levels.GOOD)},
                width=8,
            ),
            lines(
                "Age of text files",
                "How old each text file is that this node's own program writes: a collector that died leaves "
                "old figures.",
                over_time(f"time() - node_textfile_mtime_seconds{{{THIS}}}", "{{file}}"),
                unit=units.SECONDS,
                levels=levels.STALE_FILE,
                width=8,
            ),
        ),
    ),
)


def node() -> Page:
    """What one looks at when an alert names a node."""
    return Page(
        uid=NODE,
        title="node",
        description="One node: its GPUs, links, disks and services.",
        variables=(variables.environment(), variables.node()),
        bands=(_NOW, _GPUS, _EFA, _HOST),
        since="now-3h",
    )
