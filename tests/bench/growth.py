"""How the synthesis grows with the number of pools, and whether it grows by about the same for each."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tests.bench.timing import OUTPUT, ROOT, Command, Times
from tests.support.many_pools import MOST_POOLS

TITLE = "synth by number of pools"
SIZES = (1, 4, MOST_POOLS, 16, 64)
"""Numbers of pools. Past ``MOST_POOLS`` no PCS cluster goes, and no environment file passes the rules."""
NEAR_LINEAR = 1.5
"""The most that a pool may cost among many, measured in what one costs among few."""


@dataclass(frozen=True)
class Growth:
    """What each number of pools costs, in any one unit; ``noise`` is by how much equal runs differ in it."""

    cost: Mapping[int, float]
    noise: float = 0.0

    def each_pool(self, fewer: int, more: int) -> float:
        """What one pool more costs between two numbers of pools."""
        return (self.cost[more] - self.cost[fewer]) / (more - fewer)

    @property
    def ratio(self) -> float | None:
        """What a pool costs in the upper half of the range, in what one costs in the lower half.

        None where what the pools among few cost is no more than the noise: then that was measured.
        """
        least, *_, middle, most = sorted(self.cost)
        if self.cost[middle] - self.cost[least] <= self.noise:
            return None
        return self.each_pool(middle, most) / self.each_pool(least, middle)

    @property
    def is_near_linear(self) -> bool:
        """Whether a pool among many costs not much more than one among few."""
        return self.ratio is not None and self.ratio <= NEAR_LINEAR


def commands() -> dict[int, Command]:
    """One command for each number of pools: the app alone, with the flags of cdk.json, validation off."""
    from tests.support.surroundings import node_binary

    flags = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    env = {
        "CDK_VALIDATION": "false",
        "JSII_NODE": str(node_binary()),
        "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION": "1",
        "CDK_CONTEXT_JSON": json.dumps(flags),
        "CDK_OUTDIR": OUTPUT,
    }
    app = "tests/bench/pools_app.py"
    return {size: Command(f"{size} pools", (sys.executable, app, str(size)), env) for size in SIZES}


def growth_of(times: Mapping[str, Times]) -> Growth:
    """The growth of the least processor time: what else runs on the machine only ever adds to a time."""
    runs = {size: times[command.name].processor_seconds for size, command in commands().items()}
    least = {size: min(seconds) for size, seconds in runs.items()}
    return Growth(least, noise=max(runs[SIZES[0]]) - least[SIZES[0]])


def rows(times: Mapping[str, Times]) -> list[dict[str, object]]:
    """One row for each number of pools, for the table and for JSON."""
    growth = growth_of(times)
    return [
        {
            "pools": size,
            "legal": size <= MOST_POOLS,
            "seconds": times[command.name].seconds,
            "least_processor_s": growth.cost[size],
            "ms_each_further_pool": None
            if size == SIZES[0]
            else 1000 * growth.each_pool(SIZES[SIZES.index(size) - 1], size),
        }
        for size, command in commands().items()
    ]
