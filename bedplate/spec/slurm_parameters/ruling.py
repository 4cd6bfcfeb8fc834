"""Who may set a Slurm parameter under an orchestrator: the user, this package, or the service alone."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from bedplate.spec.slurm_parameters.hyperpod import HYPERPOD_OWNS, NOT_BY_UPDATE
from bedplate.spec.slurm_parameters.known import KNOWN, spelled
from bedplate.spec.slurm_parameters.ours import OURS
from bedplate.spec.slurm_parameters.parallelcluster import PARALLELCLUSTER_DENIES, PARALLELCLUSTER_NEEDS
from bedplate.spec.slurm_parameters.pcs import PCS_ALLOWS
from bedplate.spec.slurm_parameters.scope import Scope

Standing = Literal["free", "ours", "service", "unknown"]

KINDS = ("slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod")
"""The ways to run Slurm that the table knows."""


@dataclass(frozen=True)
class Ruling:
    """``free``: the user may set it. ``reason`` says why not otherwise, as a clause; ``close`` are names that
    may have been meant, where Slurm knows none of the given one.
    """

    standing: Standing
    reason: str = ""
    close: tuple[str, ...] = ()


def ruling(parameter: str, *, scope: Scope, kind: str) -> Ruling:
    """Return who sets a parameter at this place under this kind of orchestrator."""
    name = spelled(parameter, scope=scope)
    if name is None:
        return Ruling(
            "unknown",
            "Slurm has no such parameter at this place",
            tuple(get_close_matches(parameter, KNOWN[scope], n=1, cutoff=0.6)),
        )
    if name in OURS[scope]:
        return Ruling("ours", OURS[scope][name])
    reason = _kept(name, scope=scope, kind=kind)
    return Ruling("service", reason) if reason else Ruling("free")


def settable(name: str, *, scope: Scope, kind: str) -> bool:
    """Whether the service takes the parameter at all, from the user or from us."""
    return not _kept(name, scope=scope, kind=kind)


def _kept(name: str, *, scope: Scope, kind: str) -> str:
    if kind == "slurm-pcs" and name not in PCS_ALLOWS[scope]:
        return "AWS PCS sets it, and takes no other value"
    if kind == "slurm-parallelcluster" and name.lower() in PARALLELCLUSTER_DENIES[scope]:
        return "ParallelCluster sets it, and refuses a configuration that does"
    if kind == "slurm-parallelcluster" and scope == "cluster" and name.lower() in PARALLELCLUSTER_NEEDS:
        return "ParallelCluster sets it, and its own programs rely on it"
    if kind == "slurm-hyperpod" and name.lower() in HYPERPOD_OWNS[scope]:
        return "HyperPod's agent writes it, and would write over it"
    if kind == "slurm-hyperpod" and scope == "queue" and name.lower() in NOT_BY_UPDATE:
        return "HyperPod's agent writes the partitions, and `scontrol update` does not take it"
    return ""
