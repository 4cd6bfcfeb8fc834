"""Fleet overview: what there is, what of it works, what is wrong, and where to look next."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import FLEET, to_node, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT, POOL
from bedplate.telemetry.dashboards.table import Column, listing
from bedplate.telemetry.metrics.validation import LAST

_GPUS = f"DCGM_FI_DEV_GPU_TEMP{{{POOL}}}"
_SM = f"bedplate:node_sm_active{{{POOL}}}"
_BY_NODE = "by (node, pool, instance_id)"

_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "Nodes that answer",
                "Nodes whose node exporter was read in the last scrape.",
                now(f'sum(up{{{POOL},job="node"}})'),
            ),
            figure(
                "GPUs seen",
                "GPUs that the exporter of their node reports.",
                now(f"sum(bedplate:pool_gpus_seen{{{POOL}}})"),
            ),
            figure(
                "GPUs lost",
                "GPUs that the instance types have and that nobody reports: a GPU that fell off the bus is "
                "silent, and only a count tells.",
                now(f"sum(bedplate:gpus_missing{{{POOL}}})"),
                levels=levels.NONE_IS_GOOD,
            ),
            figure(
                "GPUs with an Xid",
                "GPUs on which the driver has reported an Xid in the last five minutes, the harmless ones "
                "included; the page of GPU health says which.",
                now(f"count(count by (node, gpu) (DCGM_EXP_XID_ERRORS_COUNT{{{POOL}}} > 0)) or vector(0)"),
                levels=levels.NONE_IS_CALM,
            ),
            figure(
                "Nodes drained or down",
                "Nodes that Slurm gives no job to.",
                now(
                    f"count(bedplate_slurm_node_state{{{ENVIRONMENT},"
                    'state=~"drain.*|down|fail.*|not_responding"} == 1) or vector(0)'
                ),
                levels=levels.NONE_IS_CALM,
            ),
            figure(
                "Gates that are shut",
                "Nodes that have not passed the gate since they booted, and so take no job yet.",
                now(f"count(bedplate_gate_open{{{POOL}}} == 0) or vector(0)"),
                levels=levels.NONE_IS_CALM,
            ),
        ),
        (
            figure(
                "GPUs in jobs",
                "GPUs that Slurm has given to jobs, of those that it has.",
                now(
                    f'sum(bedplate_slurm_gpus{{{ENVIRONMENT},state="allocated"}})'
                    f' / sum(bedplate_slurm_gpus{{{ENVIRONMENT},state="configured"}})'
                ),
                unit=units.SHARE,
            ),
            figure(
                "SM activity",
                "Mean of all GPUs: the share of SM cycles with work. GPU utilisation is not shown, since a "
                "hung collective shows 100 %.",
                now(f"avg({_SM})"),
                unit=units.SHARE,
            ),
            figure(
                "Power",
                "Drawn by all GPUs together.",
                now(f"sum(bedplate:pool_power_watts{{{POOL}}})"),
                unit=units.WATTS,
            ),
            figure(
                "EFA, sent",
                "By all nodes together.",
                now(f"sum(bedplate:pool_efa_tx_bytes:rate5m{{{POOL}}})"),
                unit=units.BYTES_A_SECOND,
            ),
            figure(
                "Last validation",
                "Whether the last `bedplate validate` of this environment passed.",
                now(f"min(last_over_time(bedplate_validation_passed{{{ENVIRONMENT}}}[{LAST}]))"),
                levels=levels.ONE_IS_GOOD,
                words={"0": "failed", "1": "passed"},
            ),
            figure(
                "Capacity ends in",
                "Until the first Capacity Block ends; none where there is none.",
                now(f"min(bedplate_capacity_end_timestamp_seconds{{{POOL}}} > time()) - time()"),
                unit=units.DURATION,
                levels=levels.TIME_LEFT,
            ),
        ),
    ),
)

_ALERTS = Band(
    title="Alerts",
    lines=(
        (
            listing(
                "Alerts that fire",
                "One row an alert, with the node where it names one. What to do is in its runbook: "
                "docs/runbooks has a page of its name, in small letters.",
                Column(
                    title="",
                    expression="count by (alertname, severity, node) "
                    f'(ALERTS{{{ENVIRONMENT},alertstate="firing"}})',
                ),
                labels=(("severity", "severity"), ("alertname", "alert"), ("node", "node")),
                links={"node": to_node_of_cell()},
                sort_by="severity",
                smallest_first=True,  # a page before a ticket
                height=6,
            ),
        ),
    ),
)

_NODES = Band(
    title="Nodes",
    lines=(
        (
            listing(
                "Nodes",
                "Each node as it is now. A click on a name opens the node.",
                Column(
                    title="GPUs lost",
                    expression=f"max {_BY_NODE} (bedplate:gpus_missing{{{POOL}}})",
                    levels=levels.NONE_IS_GOOD,
                ),
                Column(
                    title="gate",
                    expression=f"min {_BY_NODE} (bedplate_gate_open{{{POOL}}})",
                    levels=levels.ONE_IS_GOOD,
                ),
                Column(
                    title="SM activity",
                    expression=f"avg {_BY_NODE} ({_SM})",
                    unit=units.SHARE,
                    decimals=0,
                ),
                Column(
                    title="hottest, of slowdown",
                    expression=f"max {_BY_NODE} ({_GPUS} / DCGM_FI_DEV_SLOWDOWN_TEMP{{{POOL}}})",
                    unit=units.SHARE,
                    decimals=0,
                    levels=levels.NEAR_SLOWDOWN,
                ),
                Column(
                    title="power",
                    expression=f"sum {_BY_NODE} (DCGM_FI_DEV_POWER_USAGE{{{POOL}}})",
                    unit=units.WATTS,
                ),
                Column(
                    title="EFA sent",
                    expression=f"sum {_BY_NODE} (bedplate:node_efa_tx_bytes:rate5m{{{POOL}}})",
                    unit=units.BYTES_A_SECOND,
                ),
                Column(
                    title="sent again",
                    expression=f"sum {_BY_NODE} (bedplate:node_efa_retrans_pkts:rate5m{{{POOL}}})",
                    unit=units.PACKETS_A_SECOND,
                    levels=levels.bad_efa_rate("retrans_pkts"),
                ),
                labels=(("node", "node"), ("pool", "pool"), ("instance_id", "instance")),
                links={"node": to_node_of_cell()},
                sort_by="GPUs lost",
                height=10,
            ),
        ),
    ),
)

_HISTORY = Band(
    title="Over time",
    lines=(
        (
            lines(
                "SM activity of the nodes",
                "The mean, and what nine of ten and one of ten nodes stay below: lines far apart say that "
                "some work and some wait.",
                over_time(f"quantile(0.9, {_SM})", "9 of 10 below"),
                over_time(f"avg({_SM})", "mean"),
                over_time(f"quantile(0.1, {_SM})", "1 of 10 below"),
                unit=units.SHARE,
                top=1,
            ),
            lines(
                "Slurm's nodes by state",
                "As Slurm has them; a node stands once.",
                over_time(f"sum by (state) (bedplate_slurm_node_state{{{ENVIRONMENT}}})", "{{state}}"),
                stacked=True,
            ),
        ),
        (
            lines(
                "EFA",
                "All devices of all nodes.",
                over_time(f"sum(bedplate:node_efa_tx_bytes:rate5m{{{POOL}}})", "sent"),
                over_time(f"sum(bedplate:node_efa_rx_bytes:rate5m{{{POOL}}})", "received"),
                unit=units.BYTES_A_SECOND,
            ),
            lines(
                "Hottest nodes",
                "The hottest GPU of each of the ten hottest nodes, as a share of the temperature at which it "
                "slows itself down.",
                over_time(
                    f"topk(10, max by (node) ({_GPUS} / DCGM_FI_DEV_SLOWDOWN_TEMP{{{POOL}}}))", "{{node}}"
                ),
                unit=units.SHARE,
                levels=levels.NEAR_SLOWDOWN,
                link=to_node(),
            ),
        ),
    ),
)


def fleet() -> Page:
    """Where one begins."""
    return Page(
        uid=FLEET,
        title="fleet",
        description="What there is, what of it works, what is wrong, and where to look next.",
        variables=(variables.environment(), variables.pool()),
        bands=(_NOW, _ALERTS, _NODES, _HISTORY),
    )
