"""``docs/bench-rules.md``: written from the measurements, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.faults.tally import text_table
from tests.bench.rules.measure import MOST_S, GroupTime, Measured, broken_bounds

_INTRO = """\
# How long the rules take

SIMULATED fleets. Written by `make bench-rules`; do not edit. The exporters of a simulated fleet of
p5en.48xlarge, eight GPUs and sixteen EFA devices a node, put into blocks of Debian's Prometheus by promtool:
each metric that a rule reads, a sample every 30 seconds, as far back as any rule reads it, six hours at most.
Recorded series are made by their own rules over the last ten minutes. Then each rule is evaluated at one
moment, in three rounds, of which the middle one counts. The times hold the way through Prometheus' HTTP API
and JSON, which a rule in Prometheus has not to go. What the evaluator of Amazon Managed Prometheus takes is
not known (unverified).
"""
_HEAD = ("group", "rules", "seconds", "slowest rule", "its seconds", "series made")


def write_page(path: Path, readings: Sequence[Measured], machine: Mapping[str, str]) -> None:
    """Write the page, one table for each fleet."""
    parts = [_INTRO]
    for each in readings:
        filled = each.filled
        parts += [
            f"## {filled.nodes:,} nodes, {filled.gpus:,} GPUs",
            "",
            f"{filled.series:,} series and {filled.samples:,} samples that rules read.",
            "",
            text_table(_HEAD, [_row(group) for group in each.groups]),
            "",
        ]
    broken = [sentence for each in readings for sentence in broken_bounds(each)]
    parts += [
        f"The benchmark fails where a group takes more than {MOST_S:g} s: they are evaluated once a minute.",
        f"This run: {'; '.join(broken) if broken else 'kept by all'}.",
        "",
        f"Machine: {'; '.join(f'{name} {value}' for name, value in machine.items())}.",
        "",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _row(group: GroupTime) -> tuple[str, ...]:
    return (
        group.name,
        str(group.rules),
        f"{group.seconds:.2f}",
        group.slowest,
        f"{group.slowest_seconds:.2f}",
        f"{group.series:,}",
    )
