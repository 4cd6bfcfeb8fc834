"""What validations found, and that they are made at all."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER
from bedplate.telemetry.metrics.validation import LAST

_PASSED = f"max by ({CLUSTER}) (last_over_time(bedplate_validation_passed[{LAST}]))"
_FAILED = f"last_over_time(bedplate_validation_failed[{LAST}])"

ALERTS = (
    Alert(
        name="ValidationFailed",
        expression=(
            f"max by ({CLUSTER}, check, cause, subject) ({_FAILED}) == 1 and on ({CLUSTER}) {_PASSED} == 0"
        ),
        severity="ticket",
        scope="cluster",
        summary="A validation of {{ $labels.cluster }} found {{ $labels.cause }} at {{ $labels.subject }}.",
        meaning="A node, a link or a setting failed a check within nine days, and no validation has passed "
        "since.",
        action="Read its report (`bedplate report`), and `bedplate explain {{ $labels.check }}`.",
        dashboard="bedplate-validation",
        source="docs/validation.md",
    ),
    Alert(
        name="ValidationOpen",
        expression=f"{_PASSED} == 0 unless on ({CLUSTER}) {_FAILED} == 1",
        severity="ticket",
        scope="cluster",
        summary="The last validation of {{ $labels.cluster }} has not passed, and blames nobody.",
        meaning="A check stayed open: a node did not answer, a test was cut short.",
        action="Read its report (`bedplate report`), and run `bedplate validate` again.",
        dashboard="bedplate-validation",
        source="docs/validation.md",
    ),
    Alert(
        name="ValidationStale",
        expression=(
            f"time() - max by ({CLUSTER}) (last_over_time(bedplate_validation_timestamp_seconds[30d])) "
            "> 8 * 86400"
        ),
        severity="ticket",
        scope="cluster",
        summary="{{ $labels.cluster }} was last validated {{ humanizeDuration $value }} ago.",
        meaning="Nodes were replaced and software changed since: what was proven no longer is.",
        action="Run `bedplate validate`, or let it run by itself (`validation.schedule`).",
        dashboard="bedplate-validation",
        source="docs/validation.md",
        own_choice="eight days",
    ),
    Alert(
        name="BusBandwidthFell",
        expression=(
            f"max by ({CLUSTER}, collective, nodes) "
            "(last_over_time(bedplate_validation_bus_bandwidth_gbs[7d])) "
            f"< 0.9 * max by ({CLUSTER}, collective, nodes) "
            "(max_over_time(bedplate_validation_bus_bandwidth_gbs[7d]))"
        ),
        severity="ticket",
        scope="cluster",
        summary="{{ $labels.collective }} over {{ $labels.nodes }} nodes of {{ $labels.cluster }} "
        'reaches {{ printf "%.0f" $value }} GB/s, a tenth less than in the week before.',
        meaning="The fabric is slower than it was for the same collective over as many nodes.",
        action="Run `bedplate validate` and compare with the run before.",
        dashboard="bedplate-validation",
        source="docs/validation.md",
        own_choice="a tenth below the best of seven days",
    ),
)
