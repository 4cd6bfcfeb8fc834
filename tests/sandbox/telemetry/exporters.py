"""Readers of simulated exporters that the tests share."""

from __future__ import annotations

from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.telemetry.fleet import FleetPlan, TelemetryFleet
from bedplate.sandbox.telemetry.targets import answer, targets

EPOCH_S = 1_800_000_000.0
Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def fleet(**plan: object) -> TelemetryFleet:
    """A healthy fleet of eight nodes, unless said otherwise."""
    return TelemetryFleet(FleetPlan(**plan), epoch_s=EPOCH_S)  # type: ignore[arg-type]


def inject(found: TelemetryFleet, cause: str, *, at_s: float, node: int = 0, **detail: float) -> None:
    """One fault of the sandbox's table."""
    from bedplate.sandbox.fleet.fault import KINDS

    index = node if KINDS[cause].scope in ("node", "link") else None
    if KINDS[cause].scope == "link":
        detail.setdefault("peer_index", node + 1)
    found.inject(make_fault({"cause": cause, "node_index": index, "detail": detail}), at_s=at_s)


def read(found: TelemetryFleet, path: str, *, at_s: float) -> Series:
    """One target's series."""
    return {(each.name, each.labels): each.value for each in answer(found, path, at_s=at_s)}


def values(series: Series, name: str, **labels: str) -> list[float]:
    """The values of the series of a name that have these labels."""
    return [
        value
        for (each, pairs), value in series.items()
        if each == name and labels.items() <= dict(pairs).items()
    ]


def names(found: TelemetryFleet, *, at_s: float) -> set[str]:
    """The names of all series of all targets."""
    return {each.name for target in targets(found) for each in answer(found, target.path, at_s=at_s)}
