"""``docs/bench-engine.md``: written from the measurements, never by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.bench.engine.growth import LAST, LINEAR, exponents
from tests.bench.engine.measure import Cost
from tests.bench.faults.tally import text_table

_INTRO = """\
# What a validation costs its controller

SIMULATED. Written by `make bench-engine`; do not edit. One whole validation of healthy p5en.48xlarge nodes
for each size, with everything asked for (`throughput: true`, DCGM level 2), by the same code and the same
boto3 that an account sees. A stand-in for AWS in another process answers at once and counts the calls, so
these are the controller's own costs: what nodes take for their tests comes on top.

![Costs for each node over the number of nodes](bench-engine.svg)
"""
_HEAD = (
    "nodes",
    "passed",
    "verdicts",
    "wall s",
    "processor s",
    "processor ms a node",
    "peak MiB",
    "peak KiB a node",
    "calls",
    "calls a node",
)


def write_page(path: Path, costs: Sequence[Cost], machine: dict[str, str]) -> None:
    """Write the page; the plot is beside it."""
    largest = costs[-1]
    grown, at_the_end = exponents(costs), exponents(costs[-2:])
    calls = sorted(largest.calls.items(), key=lambda each: -each[1])
    steps = sorted(largest.steps_s.items(), key=lambda each: -each[1])
    parts = [
        _INTRO,
        text_table(_HEAD, [_row(cost) for cost in costs]),
        "",
        f"Peak memory is above the {largest.base_mib:.0f} MiB that the process has when all is imported.",
        "",
        f"The exponent of each cost over the nodes (1 is linear). The benchmark fails above {LINEAR} over",
        f"all sizes, or {LAST} between the two largest:",
        "",
        text_table(
            ("cost", "over all", "at the end"),
            [(name, f"{value:.2f}", f"{at_the_end[name]:.2f}") for name, value in grown.items()],
        ),
        "",
        f"Calls of the largest run, {largest.nodes} nodes:",
        "",
        text_table(("call", "how often"), [(name, str(count)) for name, count in calls]),
        "",
        "Its steps, by processor time:",
        "",
        text_table(("step", "s"), [(f"`{name}`", f"{seconds:.1f}") for name, seconds in steps]),
        "",
        f"Machine: {'; '.join(f'{name} {value}' for name, value in machine.items())}.",
        "",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _row(cost: Cost) -> tuple[str, ...]:
    return (
        str(cost.nodes),
        "yes" if cost.passed else "no",
        str(cost.verdicts),
        f"{cost.wall_s:.1f}",
        f"{cost.processor_s:.1f}",
        f"{cost.processor_ms_per_node:.1f}",
        f"{cost.peak_mib:.0f}",
        f"{cost.peak_kib_per_node:.0f}",
        str(sum(cost.calls.values())),
        f"{cost.calls_per_node:.2f}",
    )
