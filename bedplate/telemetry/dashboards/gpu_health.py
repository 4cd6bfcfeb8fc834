"""GPU health of the cluster: Xids, memory errors, throttling, heat and links, by node and GPU."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import GPU, to_node, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import bars, figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import NODES
from bedplate.telemetry.dashboards.table import Column, listing

_RATE = "[$__rate_interval]"
_BY_GPU = "by (node, gpu, pci_bus_id)"
_OF_SLOWDOWN = f"DCGM_FI_DEV_GPU_TEMP{{{NODES}}} / DCGM_FI_DEV_SLOWDOWN_TEMP{{{NODES}}}"


def _how_many(metric: str) -> str:
    """GPUs on which a metric is above nothing; 0 where it is on none."""
    return f"count(max by (node, gpu) ({metric}{{{NODES}}} > 0)) or vector(0)"


def _throttled(reason: str) -> str:
    """The share of time in which a GPU is throttled: DCGM counts nanoseconds."""
    return f"rate(DCGM_FI_DEV_{reason}_VIOLATION{{{NODES}}}{_RATE}) / 1e9"


def _worst(expression: str) -> str:
    return f"topk(10, max by (node, gpu) ({expression}))"


_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "GPUs seen",
                "GPUs that the exporter of their node reports.",
                now(f"count(count by (node, gpu) (DCGM_FI_DEV_GPU_TEMP{{{NODES}}}))"),
                width=3,
            ),
            figure(
                "GPUs lost",
                "GPUs that the instance types have and that nobody reports: after Xid 79 a GPU is silent.",
                now(f"sum(bedplate:gpus_missing{{{NODES}}})"),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "With an Xid",
                "GPUs with an Xid in the last five minutes, the harmless ones included.",
                now(f"count(count by (node, gpu) (DCGM_EXP_XID_ERRORS_COUNT{{{NODES}}} > 0)) or vector(0)"),
                levels=levels.NONE_IS_CALM,
                width=3,
            ),
            figure(
                "Uncorrected errors",
                "GPUs with uncorrected memory errors since their driver was loaded.",
                now(_how_many("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "Remap failed",
                "GPUs that could not remap a row: to be replaced.",
                now(_how_many("DCGM_FI_DEV_ROW_REMAP_FAILURE")),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "Reset pending",
                "GPUs whose remapped row takes effect at the next reset: when the job ends.",
                now(_how_many("DCGM_FI_DEV_ROW_REMAP_PENDING")),
                levels=levels.NONE_IS_CALM,
                width=3,
            ),
            figure(
                "Action wanted",
                "GPUs for which the driver itself asks for a reset, a reboot or a drain.",
                now(_how_many("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION")),
                levels=levels.NONE_IS_GOOD,
                width=3,
            ),
            figure(
                "Throttled by heat",
                "GPUs that heat throttles for more than one hundredth of the time.",
                now(f"count(max by (node, gpu) ({_throttled('THERMAL')}) > 0.01) or vector(0)"),
                levels=levels.NONE_IS_CALM,
                width=3,
            ),
        ),
    ),
)

_XIDS = Band(
    title="Xids",
    lines=(
        (
            lines(
                "Xids of the fleet by code",
                "Events of the last five minutes, so an Xid stands here for five minutes. 13, 31, 43 and 45 "
                "are mostly the program's; 63 is a repair that went well.",
                over_time(f"sum by (xid) (DCGM_EXP_XID_ERRORS_COUNT{{{NODES}}})", "Xid {{xid}}"),
                width=8,
                stacked=True,
            ),
            listing(
                "GPUs with an Xid",
                "The last five minutes, GPU by GPU.",
                Column(
                    title="events",
                    expression=f"sum by (node, gpu, pci_bus_id, xid, hpc_job)"
                    f" (DCGM_EXP_XID_ERRORS_COUNT{{{NODES}}} > 0)",
                ),
                labels=(
                    ("node", "node"),
                    ("gpu", "GPU"),
                    ("pci_bus_id", "PCI bus"),
                    ("xid", "Xid"),
                    ("hpc_job", "job"),
                ),
                links={"node": to_node_of_cell()},
                sort_by="events",
                width=8,
            ),
            listing(
                "Xids in the kernel logs",
                "Since each node booted. Read from the log, so it knows of a GPU that no exporter sees; the "
                "policy is what Bedplate does about it.",
                Column(
                    title="events",
                    expression=f"sum by (node, pci_bus_id, xid, policy) (bedplate_xid_total{{{NODES}}})",
                ),
                labels=(
                    ("node", "node"),
                    ("pci_bus_id", "PCI bus"),
                    ("xid", "Xid"),
                    ("policy", "policy"),
                ),
                links={"node": to_node_of_cell()},
                sort_by="events",
                width=8,
            ),
        ),
    ),
)

_MEMORY = Band(
    title="Memory errors and remapped rows",
    lines=(
        (
            listing(
                "GPUs with memory errors",
                "GPUs with any count but corrected errors. Volatile counts begin anew with the driver, those "
                "of its life do not.",
                Column(
                    title="uncorrected",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{NODES}}} > 0)",
                    levels=levels.NONE_IS_GOOD,
                ),
                Column(
                    title="uncorrected, life",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_ECC_DBE_AGG_TOTAL{{{NODES}}} > 0)",
                ),
                Column(
                    title="rows, uncorrectable",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{NODES}}} > 0)",
                ),
                Column(
                    title="rows, correctable",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS{{{NODES}}} > 0)",
                ),
                Column(
                    title="pending",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_ROW_REMAP_PENDING{{{NODES}}} > 0)",
                    levels=levels.NONE_IS_CALM,
                ),
                Column(
                    title="failed",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_ROW_REMAP_FAILURE{{{NODES}}} > 0)",
                    levels=levels.NONE_IS_GOOD,
                ),
                labels=(("node", "node"), ("gpu", "GPU"), ("pci_bus_id", "PCI bus")),
                links={"node": to_node_of_cell()},
                sort_by="uncorrected",
                width=14,
            ),
            lines(
                "Corrected errors an hour",
                "The ten GPUs with most. No vendor states a bad number; the driver's own sign is Xid 92.",
                over_time(
                    f"topk(10, max by (node, gpu) (increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL{{{NODES}}}[1h])))",
                    "{{node}} GPU {{gpu}}",
                ),
                width=10,
                link=to_node(),
            ),
        ),
    ),
)

_HEAT = Band(
    title="Heat and throttling",
    lines=(
        (
            lines(
                "Throttled by heat, ten worst",
                "The share of time in which heat slows the GPU down. From the GPU's counter of nanoseconds.",
                over_time(_worst(_throttled("THERMAL")), "{{node}} GPU {{gpu}}"),
                unit=units.SHARE,
                levels=levels.THROTTLED,
                width=8,
                link=to_node(),
            ),
            lines(
                "Throttled for reliability or by the board, ten worst",
                "The share of time; neither is normal.",
                over_time(_worst(_throttled("RELIABILITY")), "{{node}} GPU {{gpu}} reliability"),
                over_time(_worst(_throttled("BOARD_LIMIT")), "{{node}} GPU {{gpu}} board"),
                unit=units.SHARE,
                levels=levels.THROTTLED,
                width=8,
                link=to_node(),
            ),
            lines(
                "Held by the power limit, fleet",
                "Normal at full load, so it has no threshold: the mean of all GPUs, and the most held one.",
                over_time(f"avg({_throttled('POWER')})", "mean"),
                over_time(f"max({_throttled('POWER')})", "most"),
                unit=units.SHARE,
                width=8,
            ),
        ),
        (
            bars(
                "Hottest GPUs, of slowdown",
                "As a share of the temperature at which each slows itself down.",
                now(_worst(_OF_SLOWDOWN), "{{node}} GPU {{gpu}}"),
                unit=units.SHARE,
                levels=levels.NEAR_SLOWDOWN,
                top=1,
                width=8,
                link=to_node(),
            ),
            lines(
                "Memory temperature",
                "The hottest GPU of each of the ten hottest nodes.",
                over_time(f"topk(10, max by (node) (DCGM_FI_DEV_MEMORY_TEMP{{{NODES}}}))", "{{node}}"),
                unit=units.CELSIUS,
                width=8,
                link=to_node(),
            ),
            lines(
                "Clock events by reason",
                "GPUs whose clock was slowed down in the last five minutes. power_cap and gpu_idle are "
                "normal; hw_thermal and hw_power_brake are not.",
                over_time(
                    "count by (clock_event) (max by (node, gpu, clock_event)"
                    f" (DCGM_EXP_CLOCK_EVENTS_COUNT{{{NODES}}} > 0))",
                    "{{clock_event}}",
                ),
                width=8,
            ),
        ),
    ),
)

_LINKS = Band(
    title="NVLink and PCIe",
    lines=(
        (
            lines(
                "NVLink errors, ten worst",
                "A second: flits with a CRC error before NVLink 5, symbol errors from NVLink 5 on.",
                over_time(
                    _worst(f"rate(DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL{{{NODES}}}{_RATE})"),
                    "{{node}} GPU {{gpu}} CRC",
                ),
                over_time(
                    _worst(f"rate(DCGM_FI_DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS{{{NODES}}}{_RATE})"),
                    "{{node}} GPU {{gpu}} symbols",
                ),
                unit=units.A_SECOND,
                width=8,
                link=to_node(),
            ),
            listing(
                "GPUs whose links recovered or replayed",
                "Counts since the driver was loaded, of GPUs that have any.",
                Column(
                    title="NVLink replays",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL{{{NODES}}} > 0)",
                ),
                Column(
                    title="NVLink recoveries",
                    expression=f"max {_BY_GPU} ("
                    f"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{{{NODES}}} > 0 or "
                    f"DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS{{{NODES}}} > 0)",
                ),
                Column(
                    title="failed",
                    expression=f"max {_BY_GPU} "
                    f"(DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS{{{NODES}}} > 0)",
                    levels=levels.NONE_IS_GOOD,
                ),
                Column(
                    title="PCIe replays",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{NODES}}} > 0)",
                ),
                labels=(("node", "node"), ("gpu", "GPU"), ("pci_bus_id", "PCI bus")),
                links={"node": to_node_of_cell()},
                width=10,
            ),
            listing(
                "PCIe links below what they can be",
                "GPUs whose link has fewer lanes or an older generation than it can have. An idle link may "
                "lower its generation; it does not lower its lanes.",
                Column(
                    title="lanes",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_PCIE_LINK_WIDTH{{{NODES}}}"
                    f" < DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH{{{NODES}}})",
                    levels=levels.PLAIN,
                ),
                Column(
                    title="generation",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_PCIE_LINK_GEN{{{NODES}}}"
                    f" < DCGM_FI_DEV_PCIE_MAX_LINK_GEN{{{NODES}}})",
                ),
                labels=(("node", "node"), ("gpu", "GPU")),
                links={"node": to_node_of_cell()},
                width=6,
            ),
        ),
        (
            lines(
                "NVLink fabric by state",
                "GPUs of an NVLink domain by what the fabric says of them; empty on types without one.",
                over_time(
                    'count_values by (pool) ("health", max by (pool, node, gpu)'
                    f" (DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY{{{NODES}}}))",
                    "{{pool}} {{health}}",
                ),
                width=24,
                height=6,
            ),
        ),
    ),
)


def gpu_health() -> Page:
    """What people know from public dashboard 21645, with what that one cannot see."""
    return Page(
        uid=GPU,
        title="GPU health",
        description="Xids, memory errors, throttling, heat and links of all GPUs, by node and GPU.",
        variables=(variables.environment(), variables.pool(), variables.nodes()),
        bands=(_NOW, _XIDS, _MEMORY, _HEAT, _LINKS),
    )
