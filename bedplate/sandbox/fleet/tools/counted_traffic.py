"""The lines of ``bedplate.node.counted`` around a simulated collective: what each node's EFAs carried.

A model: between N nodes each sends (N - 1) / N of what the collective moves, twice for all-reduce; TCP,
NVLink and one node alone leave the EFAs idle. Where the counters stand before is made up: only their rise
says anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.node.counted import COUNTERS
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.truth import NodeTruth

_BEFORE = {"tx_bytes": 7_340_032_000_000, "rx_bytes": 7_340_032_000_000}
_RUNS = 50
"""20 iterations after 5 to warm up, out of place and in place."""
_SUM_OF_SIZES = 2 * 16 * 1024**3
"""From 8 bytes to 16 GiB by doubling."""


def traffic_lines(job: Job, *, when: str) -> Iterator[tuple[int, str]]:
    """(rank, line) of the first rank of each node; ``when`` is before or after."""
    for position, node in enumerate(job.nodes):
        rise = _rise(job, node) if when == "after" else {}
        values = (f"{name}={_BEFORE.get(name, 0) + rise.get(name, 0)}" for name in COUNTERS)
        yield position * job.ranks_per_node, f"BEDPLATE-EFA {when} node={node.slurm_name} {' '.join(values)}"


def _rise(job: Job, node: NodeTruth) -> dict[str, int]:
    count = len(job.nodes)
    over_tcp = any(each.effects.socket or each.effects.wrong_plugin for each in job.nodes)
    if count == 1 or over_tcp or job.over_nvlink or not node.efas:
        return {}
    ways = 2 if job.collective == "all_reduce" else 1
    moved = ways * _RUNS * _SUM_OF_SIZES * (count - 1) // count
    errors = sum(times for _, times in node.effects.efa_errors)
    traffic = {"tx_bytes": moved, "rx_bytes": moved}
    return {**traffic, "retrans_timeout_events": errors, "retrans_pkts": 40 * errors}
