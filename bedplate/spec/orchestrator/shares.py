"""Which nodes are whose: quotas in whole nodes, from the pools and what the teams ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Nodes by team and pool, and by pool those that are nobody's own. Teams that borrow may use those."""

    of_teams: Mapping[str, Mapping[str, int]]
    shared: Mapping[str, int]


def divide(*, pools: Sequence[Pool], teams: Sequence[KubernetesTeam]) -> Shares:
    """Give each team its nodes: first to those that name a number of GPUs, in the order of the file, from
    the pools with the most GPUs a node; then each other team an equal part of what every pool has left.

    A pool that grows and shrinks counts with its most nodes. ``ValueError`` names the team, what it asks for
    and what there is, where that is more than is left or cannot be had in whole nodes.
    """
    left = {pool.name: pool.max_nodes for pool in pools}
    gpus = {pool.name: pool_hardware(pool).gpus for pool in pools}
    given: dict[str, dict[str, int]] = {}
    for team in teams:
        if team.gpus is not None:
            given[team.name] = _take(team.name, team.gpus, left=left, gpus=gpus)
    others = [team.name for team in teams if team.gpus is None]
    if others:
        part = {name: nodes // len(others) for name, nodes in left.items()}
        given.update(dict.fromkeys(others, part))
        left = {name: nodes - part[name] * len(others) for name, nodes in left.items()}
    return Shares(of_teams={team.name: given[team.name] for team in teams}, shared=left)


def _take(team: str, asked: int, *, left: dict[str, int], gpus: Mapping[str, int]) -> dict[str, int]:
    there = sum(nodes * gpus[name] for name, nodes in left.items())
    if asked > there:
        raise ValueError(f"team {team}: {asked} GPUs asked for, and {there} are there for it")
    rest, taken = asked, dict.fromkeys(left, 0)
    for name in sorted(left, key=lambda each: -gpus[each]):
        taken[name] = min(left[name], rest // gpus[name])
        rest -= taken[name] * gpus[name]
    if rest:
        sizes = ", ".join(f"{left[name]} nodes of {gpus[name]} in {name}" for name in left)
        raise ValueError(
            f"team {team}: {asked} GPUs asked for, which is no number of whole nodes; there are {sizes}"
        )
    for name, nodes in taken.items():
        left[name] -= nodes
    return taken
