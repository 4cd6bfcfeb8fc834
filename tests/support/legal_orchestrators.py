"""Random orchestrators that break no rule, of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.support.legal_containers import containers
from tests.support.legal_kubernetes import kubernetes

Data = dict[str, Any]
KINDS = ("slurm-pcs", "slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod", "eks")
"""The kinds that are drawn; of five environments two are PCS's, which have more to choose."""
WAYS = {
    "on-demand": "bought",
    "open-reservation": "bought",
    "targeted-reservation": "bought",
    "capacity-block": "block",
    "ultraserver-block": "block",
    "spot": "spot",
    "training-plan": "plan",
}
"""Capacity source → what it has in common with others that may share a queue of ParallelCluster (ORC-020)."""


@st.composite
def slurm_teams(draw: st.DrawFn) -> list[Data]:
    """None, or one with everything and one with its name only."""
    if not draw(st.booleans()):
        return []
    share, gpus = draw(st.integers(1, 1000)), draw(st.integers(1, 100_000))
    return [
        {"name": "pretraining", "share": share, "max_gpus": gpus, "users": ["alice", "bob_2"]},
        {"name": "vision"},
    ]


@st.composite
def slurm_users(draw: st.DrawFn, *, homes: list[str], teams: list[Data]) -> Data:
    """None, or the teams' members and perhaps others, with homes on one of the file systems."""
    if not homes or not draw(st.booleans()):
        return {}
    members = [name for team in teams for name in team.get("users", [])]
    names = [*members, *draw(st.sampled_from([["zoe"], ["zoe", "_y-z_"]]))]
    first = draw(st.integers(2000, 59_999 - len(names)))
    home = draw(st.sampled_from(homes)) + draw(st.sampled_from(["", "/home", "/a/b.c"]))
    return {
        "homes": home,
        "users": [{"name": name, "uid": first + number} for number, name in enumerate(names)],
    }


@st.composite
def _pcs_partitions(draw: st.DrawFn, pools: list[Data]) -> list[Data]:
    """Every pool in one, and the first perhaps in a second one."""
    names = [pool["name"] for pool in pools]
    partitions: list[Data] = [{"name": "train", "pools": names}]
    if draw(st.booleans()):
        partitions.append({"name": "spare", "pools": names[:1]})
    return partitions


def _parallelcluster_partitions(pools: list[Data]) -> list[Data]:
    """One for each way of buying, and every pool in one."""
    ways: dict[str, list[str]] = {}
    for pool in pools:
        ways.setdefault(WAYS[pool["capacity"]["source"]], []).append(pool["name"])
    return [{"name": way, "pools": names} for way, names in ways.items()]


@st.composite
def _pcs(draw: st.DrawFn) -> Data:
    """What is PCS's alone."""
    version = draw(st.sampled_from(["24.11", "25.05", "25.11", "26.05"]))
    return {"slurm_version": version, "rest_api": version >= "25.05" and draw(st.booleans())}


@st.composite
def _parallelcluster(draw: st.DrawFn, *, machines: list[str]) -> Data:
    """What is ParallelCluster's alone."""
    chosen = {"version": "3.16.1", "head_node": {"instance_type": draw(st.sampled_from(machines))}}
    return draw(st.sampled_from([chosen, {"head_node": chosen["head_node"]}]))


@st.composite
def _hyperpod(draw: st.DrawFn, *, machines: list[str]) -> Data:
    """What is HyperPod's alone."""
    checks = [[], ["stress"], ["connectivity"], ["stress", "connectivity"]]
    return {
        "controller": {"instance_type": draw(st.sampled_from(machines))},
        "node_recovery": draw(st.sampled_from(["automatic", "none"])),
        "deep_health_checks": draw(st.sampled_from(checks)),
    }


def _images() -> st.SearchStrategy[Data]:
    """ParallelCluster's nodes install no packages (ORC-030)."""
    return st.sampled_from([{"kind": "none"}, {"kind": "image"}])


def _own(kind: str, machines: list[str]) -> st.SearchStrategy[Data]:
    if kind == "slurm-pcs":
        return _pcs()
    return _hyperpod(machines=machines) if kind == "slurm-hyperpod" else _parallelcluster(machines=machines)


@st.composite
def orchestrators(draw: st.DrawFn, *, kind: str, pools: list[Data], arm: bool, homes: list[str]) -> Data:
    """EKS; or Slurm, with every pool in some partition and at most one default. ``homes`` are mount points
    that take writes.
    """
    if kind == "eks":
        return draw(kubernetes(pools=pools, arm=arm))
    machines = ["m7g.4xlarge", "c8g.2xlarge"] if arm else ["m7i.4xlarge", "r7i.xlarge"]
    partitions = draw(_pcs_partitions(pools)) if kind == "slurm-pcs" else _parallelcluster_partitions(pools)
    partitions[0]["default"] = draw(st.booleans())
    teams = draw(slurm_teams())
    for partition in partitions:
        if draw(st.booleans()):
            partition["max_time_hours"] = draw(st.integers(1, 8760))
            partition["settings"] = {"PriorityTier": str(draw(st.integers(1, 100)))}
        if teams and draw(st.booleans()):
            partition["teams"] = [teams[0]["name"]]
    accounting = bool(teams) or draw(st.booleans())
    return {
        "kind": kind,
        "teams": teams,
        **draw(slurm_users(homes=homes, teams=teams)),
        "settings": draw(st.sampled_from([{}, {"PriorityMaxAge": "3-0"}, {"trackwckey": "yes"}])),
        **draw(_own(kind, machines)),
        "accounting": accounting,
        "gate": draw(st.sampled_from(["pair", "node"])),
        "containers": draw(_images() if kind == "slurm-parallelcluster" else containers()),
        "login": {"instance_type": draw(st.sampled_from(machines)), "nodes": draw(st.integers(1, 8))},
        "partitions": partitions,
    }
