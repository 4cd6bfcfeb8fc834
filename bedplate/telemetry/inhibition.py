"""Which alerts stay silent beside which: the cause wakes somebody, what follows from it does not."""

from __future__ import annotations

from typing import Any

from bedplate.telemetry.alerts.order import PAGES_OF_A_NODE

_NODE = ["environment", "cluster", "node"]
_CLUSTER = ["environment", "cluster"]


def inhibit_rules() -> list[dict[str, Any]]:
    """Alertmanager's ``inhibit_rules``."""
    return [*_within_a_node(), _tickets_of_a_node(), *_across_nodes()]


def _within_a_node() -> list[dict[str, Any]]:
    """Of several pages of a node the first of the order. None inhibits one before it: that were a ring."""
    return [
        _rule([f'alertname="{name}"'], [f'alertname=~"{"|".join(later)}"'], _NODE)
        for name, later in (
            (name, PAGES_OF_A_NODE[place + 1 :]) for place, name in enumerate(PAGES_OF_A_NODE[:-1])
        )
    ]


def _tickets_of_a_node() -> dict[str, Any]:
    """Somebody looks at the node already, and will drain it."""
    of_a_node = 'scope=~"gpu|node"'
    return _rule(['severity="page"', of_a_node], ['severity="ticket"', of_a_node], _NODE)


def _across_nodes() -> list[dict[str, Any]]:
    return [
        # Where nothing is seen, nothing is known of nodes.
        _rule(['alertname="TelemetryLost"'], ['alertname=~"NodeDown|GpuExporterDown"'], _CLUSTER),
        # Others wait for a node that is gone.
        _rule(['alertname="NodeDown"'], ['alertname="EfaTimeouts"'], _CLUSTER),
        _rule(['alertname="LustreFull"'], ['alertname="LustreNearlyFull"'], [*_CLUSTER, "mountpoint"]),
        _rule(['alertname="CapacityEndsSoon"'], ['alertname="CapacityEndsInADay"'], [*_CLUSTER, "pool"]),
        _rule(['alertname="JobSpins"'], ['alertname=~"JobStalled|TrainingStopped"'], [*_CLUSTER, "hpc_job"]),
        _rule(['alertname="JobStalled"'], ['alertname="TrainingStopped"'], [*_CLUSTER, "hpc_job"]),
    ]


def _rule(source: list[str], target: list[str], equal: list[str]) -> dict[str, Any]:
    return {"source_matchers": source, "target_matchers": target, "equal": equal}
