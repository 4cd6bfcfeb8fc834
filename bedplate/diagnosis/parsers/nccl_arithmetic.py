"""What a table of nccl-tests proves by its own numbers: how many ranks ran, and whether it contradicts
itself.

Time, size, algbw and busbw are redundant. algbw = bytes / time in GB/s of 1e9 bytes; busbw = algbw x
factor, where the factor depends on the collective and the number of ranks n alone. All-reduce: 2(n-1)/n, so
n = 2 / (2 - busbw/algbw). Every printed number is an interval (its rounding), so n is one too. Source:
NVIDIA/nccl-tests ``doc/PERFORMANCE.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.diagnosis.parsers.nccl_record import Half, NcclTestsLog, Row

_TWO_WAY = frozenset({"all_reduce"})
_ONE_WAY = frozenset({"all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter"})
_RANK_FREE = frozenset({"broadcast", "reduce", "sendrecv"})
_UNCHECKED_IN_PLACE = frozenset({"alltoall", "alltoallv", "sendrecv"})
COLLECTIVES = _TWO_WAY | _ONE_WAY | _RANK_FREE

TOLERANCE = 0.01
"""How far recomputed numbers may differ, besides rounding."""

_AVERAGE_TOLERANCE = 0.002


@dataclass(frozen=True)
class RankInterval:
    """All numbers of ranks that a table's ratios allow; ``high`` is None where there is no upper bound."""

    low: int
    high: int | None

    def allows(self, ranks: int) -> bool:
        """Whether ``ranks`` is one of them."""
        return self.low <= ranks and (self.high is None or ranks <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"{self.low} or more"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


def rank_interval(log: NcclTestsLog, *, collective: str) -> RankInterval | None:
    """The ranks that the ratio busbw/algbw allows over all rows; None where rows contradict, or say nothing.

    One rank has busbw 0. Collectives whose factor is 1 whatever n (broadcast, reduce, sendrecv) say nothing.
    """
    if collective not in _TWO_WAY | _ONE_WAY:
        return None
    bounds = _factor_interval(log)
    if bounds is None:
        return None
    share = 2.0 if collective in _TWO_WAY else 1.0
    low, high = bounds[0] / share, bounds[1] / share
    if high < 0 or low >= 1.0:
        return None
    least = max(1, math.ceil(_ranks_of(low) - 1e-9))
    most = None if high >= 1.0 else math.floor(_ranks_of(high) + 1e-9)
    return RankInterval(least, most) if most is None or least <= most else None


def _ranks_of(share: float) -> float:
    """The n for which (n - 1) / n is ``share``."""
    return 1.0 / (1.0 - max(0.0, share))


def _factor_interval(log: NcclTestsLog) -> tuple[float, float] | None:
    """The factors busbw/algbw that every half allows; None where no half says anything, or two contradict."""
    low, high, seen = -math.inf, math.inf, False
    for _, _, half in halves(log):
        if half.algbw.low <= 0:
            continue
        seen = True
        low = max(low, half.busbw.low / half.algbw.high)
        high = min(high, half.busbw.high / half.algbw.low)
    return (low, high) if seen and low <= high * (1 + 1e-9) + 1e-12 else None


def halves(log: NcclTestsLog) -> Iterator[tuple[Row, str, Half]]:
    """Every placement of every row, with its name."""
    for row in log.rows:
        yield row, "out-of-place", row.out_of_place
        yield row, "in-place", row.in_place


def contradictions(log: NcclTestsLog, *, collective: str) -> tuple[str, ...]:
    """What in a table cannot be true together, in words; empty where it agrees with itself."""
    found = [
        f"{name} at {row.size_bytes} B: {row.size_bytes} B in {half.time_us.value:g} µs are "
        f"{_gb_per_s(row, half)}, printed is {half.algbw.value:g}"
        for row, name, half in halves(log)
        if not _time_agrees(row, half)
    ]
    if collective in _RANK_FREE:
        found += [
            f"{name} at {row.size_bytes} B: busbw {half.busbw.value:g} is not algbw {half.algbw.value:g}"
            for row, name, half in halves(log)
            if half.busbw.high < half.algbw.low or half.busbw.low > half.algbw.high
        ]
    elif (
        any(half.algbw.low > 0 for _, _, half in halves(log))
        and rank_interval(log, collective=collective) is None
    ):
        found.append(f"no number of ranks gives these ratios of busbw to algbw for {collective}")
    return tuple(found) + _average_contradiction(log)


def _gb_per_s(row: Row, half: Half) -> str:
    if half.time_us.value == 0:
        return "no speed at all"
    return f"{row.size_bytes / half.time_us.value / 1e3:.2f} GB/s"


def _time_agrees(row: Row, half: Half) -> bool:
    if row.size_bytes == 0 or half.time_us.low <= 0:
        return half.time_us.value > 0 or half.algbw.value == 0
    low = row.size_bytes / half.time_us.high / 1e3
    high = row.size_bytes / half.time_us.low / 1e3
    return half.algbw.low <= high * (1 + TOLERANCE) and half.algbw.high >= low * (1 - TOLERANCE)


def recomputed_average(log: NcclTestsLog) -> float | None:
    """The mean bus bandwidth over all rows and both placements; None where rows were cut out or are
    unreadable.
    """
    if log.elided or log.damaged or not log.rows:
        return None
    values = [half.busbw.value for _, _, half in halves(log)]
    return sum(values) / len(values)


def _average_contradiction(log: NcclTestsLog) -> tuple[str, ...]:
    recomputed = recomputed_average(log)
    if recomputed is None or log.average is None or log.runs != 1:
        return ()
    rounding = [half.busbw.half_unit for _, _, half in halves(log)]
    slack = sum(rounding) / len(rounding) + log.average.half_unit + _AVERAGE_TOLERANCE * recomputed
    if abs(recomputed - log.average.value) <= slack:
        return ()
    return (
        f"the rows average {recomputed:.3f} GB/s, the footer says {log.average.value:g}: rows are missing",
    )


def wrong_data(log: NcclTestsLog) -> tuple[str, ...]:
    """Every sign of wrong results, in words: ``#wrong`` above 0, or out-of-bounds tests in the footer."""
    found = []
    if log.counts_wrong:
        found = [
            f"{name} at {row.size_bytes} B: #wrong is {half.wrong:g}"
            for row, name, half in halves(log)
            if half.wrong is not None and half.wrong > 0
        ]
    if log.bounds_failed or log.bounds_ok is False:
        found.append(f"out of bounds values: {log.bounds_failed} tests failed")
    return tuple(found)


def data_checked(log: NcclTestsLog, *, collective: str) -> bool:
    """Whether results were compared: no ``N/A`` but where the tool never checks, and the footer gives its
    count.

    The tool does not check alltoall and sendrecv in place, by design.
    """
    if not log.rows or log.bounds_failed is None:
        return False
    skipped = {"in-place"} if collective in _UNCHECKED_IN_PLACE else set()
    return all(half.wrong is not None for _, name, half in halves(log) if name not in skipped)


def sweep_sizes(*, begin_bytes: int, end_bytes: int, factor: int = 2) -> tuple[int, ...]:
    """The sizes of a sweep ``-b begin -e end -f factor``."""
    sizes: list[int] = []
    size = begin_bytes
    while size <= end_bytes and len(sizes) < 128:
        sizes.append(size)
        size *= max(2, factor)
    return tuple(sizes)
