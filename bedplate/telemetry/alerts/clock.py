"""The clock of a node."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import ON_NODE, per_node

ALERTS = (
    Alert(
        name="ClockOff",
        expression=f"{per_node('abs(node_timex_offset_seconds)')} > 0.05",
        hold_for_minutes=10,
        severity="ticket",
        scope="node",
        summary=f"The clock of {ON_NODE} is {{{{ $value }}}} s off.",
        meaning="Logs of several nodes cannot be put in order; munge refuses credentials at minutes.",
        action="Look at `chronyc tracking` on the node; restart chronyd.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/timex.go; munge(7)",
        own_choice="50 ms over 10 minutes",
    ),
    Alert(
        name="ClockNotFollowing",
        expression=f"{per_node('node_timex_sync_status')} == 0",
        hold_for_minutes=30,
        severity="ticket",
        scope="node",
        summary=f"The clock of {ON_NODE} follows no source.",
        meaning="The kernel says that its clock is not disciplined: it will drift.",
        action="Look at `chronyc sources` on the node: Amazon's time service is at 169.254.169.123.",
        dashboard="bedplate-node",
        source="prometheus/node_exporter: collector/timex.go; EC2 user guide: Amazon Time Sync Service",
        own_choice="30 minutes",
    ),
)
