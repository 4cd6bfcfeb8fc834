"""Capacity and its cost: what is there, until when, what of it works, and what it costs meanwhile."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import CAPACITY, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import POOL
from bedplate.telemetry.dashboards.table import Column, listing

_EXPECTED = f"sum(bedplate:pool_gpus_expected{{{POOL}}})"
_SM = f"max by (pool, node, gpu) (DCGM_FI_PROF_SM_ACTIVE{{{POOL}}})"
_IDLE = f"(count({_SM} < 0.05) or vector(0))"
_END = f"bedplate_capacity_end_timestamp_seconds{{{POOL}}}"
_STEP_MINUTES = 15


def _hours(of_gpus: str) -> str:
    """GPU hours over the time that the page shows, by a sample each quarter of an hour."""
    return f"sum_over_time(({of_gpus})[$__range:{_STEP_MINUTES}m]) * {_STEP_MINUTES / 60}"


_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "GPUs paid for",
                "That the nodes which answer have by their type: a lost GPU is paid for too.",
                now(_EXPECTED),
            ),
            figure(
                "Idle GPUs",
                "With less than one twentieth of their SM cycles at work. The bound is ours.",
                now(_IDLE),
            ),
            figure(
                "Idle, of those paid for",
                "The share of GPUs that are paid for and do nothing.",
                now(f"{_IDLE} / {_EXPECTED}"),
                unit=units.SHARE,
                levels=levels.IDLE_SHARE,
            ),
            figure(
                "An hour costs",
                "GPUs paid for, times the price above. With a price of 1 these are GPU hours.",
                now(f"{_EXPECTED} * $price"),
                decimals=0,
            ),
            figure(
                "Of that for idle GPUs",
                "Idle GPUs, times the price above.",
                now(f"{_IDLE} * $price"),
                decimals=0,
            ),
            figure(
                "First capacity ends in",
                "Until the first Capacity Block ends; AWS begins to end its instances before that.",
                now(f"min({_END} > time()) - time()"),
                unit=units.DURATION,
                levels=levels.TIME_LEFT,
            ),
        ),
        (
            figure(
                "Cost of the time shown",
                "GPU hours times the price above, over the time that the page shows.",
                now(f"({_hours(_EXPECTED)}) * $price"),
                decimals=0,
                width=6,
            ),
            figure(
                "Of that for idle GPUs, in the time shown",
                "Hours of idle GPUs, times the price above.",
                now(f"({_hours(_IDLE)}) * $price"),
                decimals=0,
                width=6,
            ),
            figure(
                "GPU hours of the time shown",
                "Paid for, by a sample each quarter of an hour.",
                now(_hours(_EXPECTED)),
                decimals=0,
                width=6,
            ),
            figure(
                "Mean SM activity of the time shown",
                "Over all GPUs: what the money bought.",
                now(f"avg_over_time(avg({_SM})[$__range:{_STEP_MINUTES}m])"),
                unit=units.SHARE,
                width=6,
            ),
        ),
    ),
)

_HISTORY = Band(
    title="Over time",
    lines=(
        (
            lines(
                "GPUs by pool",
                "That the nodes which answer have by their type.",
                over_time(f"sum by (pool) (bedplate:pool_gpus_expected{{{POOL}}})", "{{pool}}"),
                stacked=True,
            ),
            lines(
                "Paid for, seen, at work",
                "Lines that drift apart are lost GPUs and idle ones.",
                over_time(_EXPECTED, "paid for"),
                over_time(f"sum(bedplate:pool_gpus_seen{{{POOL}}})", "seen"),
                over_time(f"count({_SM} >= 0.05)", "at work"),
            ),
        ),
        (
            lines(
                "Power by pool",
                "Of all GPUs.",
                over_time(f"sum by (pool) (bedplate:pool_power_watts{{{POOL}}})", "{{pool}}"),
                unit=units.WATTS,
                stacked=True,
            ),
            lines(
                "Power for each busy GPU",
                "Power of all GPUs over their SM activity together: rises where they do little for it.",
                over_time(f"sum(DCGM_FI_DEV_POWER_USAGE{{{POOL}}}) / sum({_SM} > 0.05)", "a busy GPU"),
                unit=units.WATTS,
            ),
        ),
    ),
)

_LISTS = Band(
    title="Pools and nodes",
    lines=(
        (
            listing(
                "Pools",
                "What each pool has, by instance type and zone.",
                Column(
                    title="nodes",
                    expression=f"count by (pool, instance_type, zone) (bedplate_expected_gpus{{{POOL}}})",
                ),
                Column(
                    title="GPUs",
                    expression=f"sum by (pool, instance_type, zone) (bedplate_expected_gpus{{{POOL}}})",
                ),
                Column(
                    title="SM activity",
                    expression=f"avg by (pool, instance_type, zone) (DCGM_FI_PROF_SM_ACTIVE{{{POOL}}})",
                    unit=units.SHARE,
                ),
                Column(
                    title="ends in",
                    expression=f"min by (pool, instance_type, zone) ({_END} > time()) - time()",
                    unit=units.DURATION,
                    levels=levels.TIME_LEFT,
                ),
                labels=(("pool", "pool"), ("instance_type", "type"), ("zone", "zone")),
                width=12,
            ),
            listing(
                "Nodes that do least",
                "The twenty with the lowest SM activity over the last hour, with how much that was.",
                Column(
                    title="SM activity, last hour",
                    expression="bottomk(20, avg by (node, pool)"
                    f" (avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{POOL}}}[1h])))",
                    unit=units.SHARE,
                    levels=levels.ACTIVITY,
                ),
                labels=(("node", "node"), ("pool", "pool")),
                links={"node": to_node_of_cell()},
                sort_by="SM activity, last hour",
                smallest_first=True,
                width=12,
            ),
        ),
    ),
)


def capacity() -> Page:
    """What is paid for, until when, and what it does."""
    return Page(
        uid=CAPACITY,
        title="capacity and cost",
        description="What capacity is there and until when, what of it works, and what it costs meanwhile.",
        variables=(variables.environment(), variables.pool(), variables.price()),
        bands=(_NOW, _HISTORY, _LISTS),
        since="now-24h",
    )
