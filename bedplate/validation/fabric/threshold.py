"""How fast a test must be: the sourced floor, or nine tenths of what its peers of the same shape reach.

The median of the peers, not their mean: a few slow pairs must not lower what is asked of them. Where the
slow ones are the majority the median is one of theirs; then the faster cluster is the reference, and
whoever ends up blaming more than half of the nodes by it must say that there was no reliable reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_high

SHARE_OF_PEERS = 0.9
_ENOUGH_PEERS = 2


@dataclass(frozen=True)
class Threshold:
    """What one test must reach, in GB/s (1e9 bytes); None where there is neither a floor nor a peer."""

    value_gb_per_s: float | None
    source: str

    def reached_by(self, busbw_gb_per_s: float) -> bool:
        """Whether the bandwidth is enough; without a threshold nothing is known to be too slow."""
        return self.value_gb_per_s is None or busbw_gb_per_s >= self.value_gb_per_s


def threshold(*, measured_gb_per_s: Sequence[float], floor_gb_per_s: float | None) -> Threshold:
    """The higher of the floor and of 0.9 × the peers' reference."""
    relative = None
    if len(measured_gb_per_s) >= _ENOUGH_PEERS:
        relative = SHARE_OF_PEERS * _reference(measured_gb_per_s)
    if relative is None and floor_gb_per_s is None:
        return Threshold(None, "no floor is sourced for this shape, and no peer was measured")
    if relative is None or (floor_gb_per_s is not None and floor_gb_per_s >= relative):
        return Threshold(floor_gb_per_s, "sourced floor for this shape")
    peers = len(measured_gb_per_s)
    return Threshold(relative, f"{SHARE_OF_PEERS} × what {peers} tests of the same shape reach in this run")


def _reference(values: Sequence[float]) -> float:
    """The median; that of the faster cluster where most values are slower than nine tenths of the best."""
    fast = [value for value in values if value >= SHARE_OF_PEERS * max(values)]
    if 2 * len(fast) < len(values):
        return median(fast)
    return median_high(values)
