"""What the settings of a Slurm cluster depend on."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.spec.orchestrator import SlurmCommon


@dataclass(frozen=True, kw_only=True)
class ClusterShape:
    """``longest_hours`` is the longest time limit of a partition, None where one has no limit; ``tree`` says
    that nodes are below a tree of switches, not in blocks of UltraServers.
    """

    accounting: bool
    teams: bool
    longest_hours: int | None
    tree: bool = True


def cluster_shape(slurm: SlurmCommon, *, tree: bool = True) -> ClusterShape:
    """The shape of what the environment file asks for."""
    limits = [partition.max_time_hours for partition in slurm.partitions]
    known = [hours for hours in limits if hours is not None]
    return ClusterShape(
        accounting=slurm.accounting,
        teams=bool(slurm.teams),
        tree=tree,
        longest_hours=max(known) if len(known) == len(limits) else None,
    )
