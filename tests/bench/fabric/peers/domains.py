"""NVIDIA's cluster readiness engine, ``diagnose``: screening by domains, then bisection.

After its design notes 055 and 056: groups of ceil(sqrt N) nodes, tested twice (the second time without
multi-node NVLink, which changes nothing here); one node of each healthy group together; failed groups halved
down to two nodes, all at once; each node of what is left with a healthy one. Where both halves of a failed
group pass, groups mixed of both; if both of those fail, it records a fault of what lies between.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from random import Random

from tests.bench.fabric.cluster import Cluster
from tests.bench.fabric.told import Told, told

Group = tuple[int, ...]
_LEAST_GROUP = 2


def domains(cluster: Cluster, _chance: Random) -> Told:
    """Three rounds where all is well, one for each halving, and one to confirm."""
    return _Diagnosis(cluster).run()


def screening_groups(size: int) -> list[Group]:
    """Disjoint groups of ceil(sqrt(size)) neighbours; a last one of one node joins the group before."""
    width = isqrt(size - 1) + 1
    groups = [tuple(range(start, min(start + width, size))) for start in range(0, size, width)]
    if len(groups) > 1 and len(groups[-1]) < _LEAST_GROUP:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


class _Diagnosis:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.rounds = 0
        self.healthy: set[int] = set()
        self.suspects: set[int] = set()
        self.between: list[tuple[Group, Group]] = []

    def run(self) -> Told:
        groups = screening_groups(self.cluster.size)
        failed = {group for _ in range(2) for group in self._round(groups)}
        for group in groups:
            if group not in failed:
                self.healthy.update(group)
        representatives = tuple(group[0] for group in groups if group not in failed)
        bad = sorted(failed)
        if len(representatives) > 1:
            bad += self._round([representatives])
        self._bisect(bad)
        return self._confirmed()

    def _round(self, groups: Sequence[Group]) -> list[Group]:
        """The groups that fail, tested at once."""
        self.rounds += 1
        return [group for group in groups if self.cluster.fails(group)]

    def _bisect(self, groups: list[Group]) -> None:
        while groups:
            self.suspects.update(node for group in groups if len(group) <= _LEAST_GROUP for node in group)
            halves = [_halves(group) for group in groups if len(group) > _LEAST_GROUP]
            if not halves:
                return
            tested = {half: self._padded(half) for both in halves for half in both}
            failed = set(self._round(list(tested.values())))
            groups, crossed = [], []
            for both in halves:
                bad = [half for half in both if tested[half] in failed]
                groups += bad
                if not bad:
                    crossed.append(both)
                for half in both:
                    if half not in bad:
                        self.healthy.update(half)
            self._cross(crossed)

    def _padded(self, half: Group) -> Group:
        """A single node is tested with a healthy one, where there is any."""
        good = sorted(self.healthy - set(half))
        return half if len(half) > 1 or not good else (*half, good[0])

    def _cross(self, both_pass: Sequence[tuple[Group, Group]]) -> None:
        """Mixed groups of two halves that pass, each split again where one of the two mixed ones fails."""
        while both_pass:
            mixed = [_mixed(one, other) for one, other in both_pass]
            failed = set(self._round([group for pair in mixed for group in pair]))
            narrower = []
            for (one, other), pair in zip(both_pass, mixed, strict=True):
                bad = [group for group in pair if group in failed]
                if len(bad) == 2 or (bad and len(bad[0]) <= _LEAST_GROUP):
                    self.between.append((one, other) if len(bad) == 2 else (bad[0][:1], bad[0][1:]))
                elif bad:
                    inside = set(bad[0])
                    narrower.append((_within(one, inside), _within(other, inside)))
            both_pass = narrower

    def _confirmed(self) -> Told:
        waiting = sorted(self.suspects)
        good = sorted(self.healthy - self.suspects)
        blamed: set[int] = set()
        while waiting and good:
            now, waiting = waiting[: len(good)], waiting[len(good) :]
            pairs = list(zip(now, good, strict=False))
            blamed.update(pair[0] for pair in self._round(pairs))
        links = {
            (min(one[0], other[0]), max(one[0], other[0]))
            for one, other in self.between
            if len(one) == len(other) == 1
        }
        return told(
            self.cluster,
            rounds=self.rounds,
            nodes=blamed,
            links=links,
            open_nodes=waiting,
            shared=any(len(one) + len(other) > 2 for one, other in self.between),
        )


def _halves(group: Group) -> tuple[Group, Group]:
    middle = (len(group) + 1) // 2
    return group[:middle], group[middle:]


def _mixed(one: Group, other: Group) -> tuple[Group, Group]:
    first, second = _halves(one), _halves(other)
    return first[0] + second[0], first[1] + second[1]


def _within(group: Group, inside: set[int]) -> Group:
    return tuple(node for node in group if node in inside)
