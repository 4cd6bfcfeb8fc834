"""The end of what is paid for, and what is paid for and not used."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import POOL

_LEFT = f"min by ({POOL}) (bedplate_capacity_end_timestamp_seconds) - time()"
_BLOCKS = "EC2 user guide: Capacity Blocks for ML"

ALERTS = (
    Alert(
        name="CapacityEndsInADay",
        expression=f"({_LEFT}) < 86400 > 0",
        severity="ticket",
        scope="cluster",
        summary="The Capacity Block of pool {{ $labels.pool }} ends in {{ humanizeDuration $value }}.",
        meaning="Instances of a Capacity Block are ended 30 minutes before it ends.",
        action="Plan the last checkpoint; extend the block or buy the next (docs/capacity-blocks.md).",
        dashboard="bedplate-capacity",
        source=_BLOCKS,
        own_choice="a day",
    ),
    Alert(
        name="CapacityEndsSoon",
        expression=f"({_LEFT}) < 7200 > 0",
        severity="page",
        scope="cluster",
        summary="The Capacity Block of pool {{ $labels.pool }} ends in {{ humanizeDuration $value }}.",
        meaning="Instances of a Capacity Block are ended 30 minutes before it ends.",
        action="Write checkpoints now, and let no new job start on the pool.",
        dashboard="bedplate-capacity",
        source=_BLOCKS,
        own_choice="two hours",
    ),
    Alert(
        name="FleetIdle",
        expression=f"bedplate:pool_gpus_busy == 0 and on ({POOL}) bedplate:pool_gpus_seen > 0",
        hold_for_minutes=120,
        severity="ticket",
        scope="cluster",
        summary="No GPU of pool {{ $labels.pool }} has worked for two hours, and all of them are paid for.",
        meaning="Nodes run, and their GPUs do nothing.",
        action="Let jobs start, or scale the pool down.",
        dashboard="bedplate-capacity",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (203)",
        own_choice="two hours",
    ),
)
