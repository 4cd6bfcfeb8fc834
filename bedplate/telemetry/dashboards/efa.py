"""EFA and NCCL: how much goes over the network, what is sent again, and what collectives reach."""

from __future__ import annotations

from grafana_foundation_sdk.builders import timeseries

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import EFA, to_node
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import bars, figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT, NODES
from bedplate.telemetry.metrics.efa import AWS_BAD_RATES

_RATE = "[$__rate_interval]"
_DEVICE = "{{node}} {{device}}"


def _rate(counter: str) -> str:
    return f"rate(node_amazonefa_{counter}{{{NODES}}}{_RATE})"


_BAD_NOW = " or ".join(f"{_rate(counter)} > {limit:g}" for counter, limit in AWS_BAD_RATES.items())

_NOW = Band(
    title="Now",
    lines=(
        (
            figure("Sent", "By all devices.", now(f"sum({_rate('tx_bytes')})"), unit=units.BYTES_A_SECOND),
            figure(
                "Received", "By all devices.", now(f"sum({_rate('rx_bytes')})"), unit=units.BYTES_A_SECOND
            ),
            figure(
                "Devices lost",
                "Devices that nodes were launched with and that their kernels do not show.",
                now(f"sum(bedplate_expected_efas{{{NODES}}}) - sum(bedplate_efas{{{NODES}}})"),
                levels=levels.NONE_IS_GOOD,
            ),
            figure(
                "Devices above a bad rate",
                "Devices with any counter above what AWS's own node agent calls bad.",
                now(f"count(count by (node, device) ({_BAD_NOW})) or vector(0)"),
                levels=levels.NONE_IS_CALM,
            ),
            figure(
                "Silent nodes",
                "Nodes whose GPUs work and whose EFA devices send nothing: jobs of one node, or a fall back "
                "to TCP.",
                now(
                    f"count(avg by (node) (DCGM_FI_PROF_SM_ACTIVE{{{NODES}}}) > 0.5"
                    f" and on (node) sum by (node) ({_rate('tx_bytes')}) == 0) or vector(0)"
                ),
                levels=levels.NONE_IS_CALM,
            ),
            figure(
                "Commands that failed",
                "Of the driver, a second.",
                now(f"sum({_rate('cmds_err')})"),
                unit=units.A_SECOND,
            ),
        ),
    ),
)

_TRAFFIC = Band(
    title="Traffic",
    lines=(
        (
            lines(
                "Sent by node, ten most",
                "The sum of each node's devices.",
                over_time(f"topk(10, sum by (node) ({_rate('tx_bytes')}))", "{{node}}"),
                unit=units.BYTES_A_SECOND,
                width=8,
                link=to_node(),
            ),
            lines(
                "Sent by node, ten least",
                "Of nodes that send at all. A node far below the others of its job holds them up.",
                over_time(f"bottomk(10, sum by (node) ({_rate('tx_bytes')}) > 0)", "{{node}}"),
                unit=units.BYTES_A_SECOND,
                width=8,
                link=to_node(),
            ),
            lines(
                "What it is made of",
                "Of all devices: plain sends, and reads and writes of remote memory.",
                over_time(f"sum({_rate('send_bytes')})", "sent"),
                over_time(f"sum({_rate('rdma_read_bytes')})", "remote reads"),
                over_time(f"sum({_rate('rdma_write_bytes')})", "remote writes"),
                unit=units.BYTES_A_SECOND,
                width=8,
            ),
        ),
    ),
)


def _bad(title: str, about: str, counter: str, *, unit: str = units.A_SECOND) -> timeseries.Panel:
    return lines(
        title,
        f"{about} The line is what AWS's own node agent calls bad. Older drivers do not count it.",
        over_time(f"topk(8, {_rate(counter)})", _DEVICE),
        unit=unit,
        levels=levels.bad_efa_rate(counter),
        width=6,
        link=to_node(),
    )


_TROUBLE = Band(
    title="What is lost or sent again, worst eight devices each",
    lines=(
        (
            _bad(
                "Sent again after a timeout",
                "Packets a second.",
                "retrans_timeout_events",
                unit=units.PACKETS_A_SECOND,
            ),
            _bad("Packets sent again", "A second.", "retrans_pkts", unit=units.PACKETS_A_SECOND),
            _bad("Bytes sent again", "A second.", "retrans_bytes", unit=units.BYTES_A_SECOND),
            _bad("Packets dropped on receipt", "A second.", "rx_drops", unit=units.PACKETS_A_SECOND),
        ),
        (
            _bad("Remote reads that failed", "Work requests a second.", "rdma_read_wr_err"),
            _bad("Remote writes that failed", "Work requests a second.", "rdma_write_wr_err"),
            _bad("Remote devices that did not answer", "Events a second.", "unresponsive_remote_events"),
            _bad("Connections that were impaired", "Events a second.", "impaired_remote_conn_events"),
        ),
    ),
)

_NCCL = Band(
    title="NCCL, where NCCL Inspector is loaded",
    lines=(
        (
            lines(
                "Bus bandwidth by collective",
                "The median over ranks and sizes.",
                over_time(
                    f"quantile by (collective, n_nodes) (0.5, nccl_bus_bandwidth_gbs{{{ENVIRONMENT}}})",
                    "{{collective}}, {{n_nodes}} nodes",
                ),
                unit=units.GB_A_SECOND,
                width=8,
            ),
            bars(
                "Lowest bus bandwidth",
                "The ten hosts whose collectives reach least, over all sizes.",
                now(
                    f"bottomk(10, min by (hostname, collective) (nccl_bus_bandwidth_gbs{{{ENVIRONMENT}}}))",
                    "{{hostname}} {{collective}}",
                ),
                unit=units.GB_A_SECOND,
                width=8,
            ),
            lines(
                "Time of a collective",
                "The median over ranks and sizes, and the slowest.",
                over_time(
                    "quantile by (collective) (0.5, "
                    f"nccl_collective_exec_time_microseconds{{{ENVIRONMENT}}})",
                    "{{collective}} median",
                ),
                over_time(
                    f"max by (collective) (nccl_collective_exec_time_microseconds{{{ENVIRONMENT}}})",
                    "{{collective}} slowest",
                ),
                unit=units.MICROSECONDS,
                width=8,
            ),
        ),
    ),
)


def efa() -> Page:
    """What one looks at when bandwidth is low."""
    return Page(
        uid=EFA,
        title="EFA and NCCL",
        description="Traffic over EFA, what is sent again against AWS's own figures, and what NCCL reaches.",
        variables=(variables.environment(), variables.pool(), variables.nodes()),
        bands=(_NOW, _TRAFFIC, _TROUBLE, _NCCL),
    )
