"""SIMULATED: run every scheme on the same clusters and count."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean, median

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.rows import COSTLY, OURS, ROWS, SEQUENTIAL, Row
from tests.bench.fabric.told import Told

SIZES = (4, 5, 8, 16, 33, 64, 232, 256, 1024, 4096)


@dataclass(frozen=True)
class Count:
    """One scheme on ``runs`` clusters of one row and size.

    ``missed`` counts runs in which a fault was passed as well, ``wrongly_blamed`` those in which a node or a
    link was blamed that nothing is wrong with, ``said_shared`` those in which it said that no node is to
    blame. ``seconds`` is the processor time of the longest run, simulator included.
    """

    row: str
    scheme: str
    nodes: int
    runs: int
    rounds_median: float
    rounds_most: int
    tests_mean: float
    tests_over_bound: int
    missed: int
    wrongly_blamed: int
    said_shared: int
    seconds: float


def runs_of(row: Row, size: int, scheme: str, *, share: float) -> int:
    """How many clusters: fewer of large ones, and fewest where all pairs are tested; ``share`` of them."""
    whole = 400 if size <= 64 else 60 if size <= 256 else 12 if size <= 1024 else 3
    if scheme in COSTLY or row.id == "coverage":
        whole = 40 if size <= 64 else 3 if size <= 256 else 1
    return max(1, round(whole * share * (row.times if scheme == OURS else 1)))


def measure(
    *,
    seed: str,
    sizes: Sequence[int] = SIZES,
    rows: Sequence[Row] = ROWS,
    share: float = 1.0,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Count]:
    """Every row, size and scheme; all pairs one after another is told from the circle method's tests."""
    for row in rows:
        for size in sizes:
            if not row.least_nodes <= size <= row.most_nodes:
                continue
            for name in row.schemes:
                if _takes_too_long(row, name, size):
                    continue
                yield _count(row, size, name, seed=seed, share=share)
            say(f"{row.id}: N = {size}")


def _takes_too_long(row: Row, name: str, size: int) -> bool:
    """All pairs of thousands of nodes are made once; one after another, they are the same tests."""
    if name == SEQUENTIAL:
        return size > 256
    return name in COSTLY and size > 1024 and row.id != ROWS[0].id


def _count(row: Row, size: int, name: str, *, seed: str, share: float) -> Count:
    runs = runs_of(row, size, name, share=share)
    seen: list[tuple[Cluster, Told]] = []
    longest = 0.0
    for number in range(runs):
        cluster = row.draw(size, Random(f"{seed}-{row.id}-{size}-{number}"))
        began = time.process_time()
        seen.append((cluster, row.schemes[name](cluster, Random(f"{seed}-{name}-{number}"))))
        longest = max(longest, time.process_time() - began)
    return Count(
        row=row.id,
        scheme=name,
        nodes=size,
        runs=runs,
        rounds_median=median(said.rounds for _, said in seen),
        rounds_most=max(said.rounds for _, said in seen),
        tests_mean=mean(said.tests for _, said in seen),
        tests_over_bound=sum(said.tests > most_tests(cluster) for cluster, said in seen),
        missed=sum(is_missed(row, cluster, said) for cluster, said in seen),
        wrongly_blamed=sum(is_wrong(row, cluster, said) for cluster, said in seen),
        said_shared=sum(said.shared for _, said in seen),
        seconds=round(longest, 3),
    )


def most_tests(cluster: Cluster) -> int:
    """N / 2 + 2 k, and one more for an odd number of nodes."""
    return cluster.size // 2 + 2 * len(cluster.bad) + cluster.size % 2


def is_missed(row: Row, cluster: Cluster, said: Told) -> bool:
    """Whether something is wrong and was passed as well."""
    if said.shared and row.shared:
        return False
    if row.shared and not cluster.bad:
        # What is wrong with all nodes is on nobody's account: it is missed if anything at all was passed.
        return not said.links and len(said.nodes | said.open_nodes) < cluster.size
    passed_over = (cluster.bad | cluster.mute) - said.nodes - said.open_nodes
    return bool(passed_over) or not set(cluster.slow_links) <= said.links


def is_wrong(row: Row, cluster: Cluster, said: Told) -> bool:
    """Whether a node or a link is blamed that is well, or nobody where somebody in particular is at fault."""
    apart = {
        pair for pair in said.links if (pair[0] in cluster.other_side) != (pair[1] in cluster.other_side)
    }
    blamed_well = said.nodes - cluster.bad - cluster.mute
    if row.id == "all-slow":
        blamed_well = said.nodes
    return bool(
        blamed_well or said.links - set(cluster.slow_links) - apart or (said.shared and not row.shared)
    )
