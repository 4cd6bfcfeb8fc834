"""Where a job runs: its partition, nodes, account and time, each held against the environment file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.errors import UsageError
from bedplate.hardware import InstanceType
from bedplate.slurm.jobs.asked import JobAsked
from bedplate.spec.orchestrator import Partition, SlurmCommon
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

_YEAR_HOURS = 8760
"""What a partition may let a job have (``max_time_hours``); a longer time is a mistyped one."""


@dataclass(frozen=True, kw_only=True)
class Placement:
    """``account`` is empty where jobs are in the name of nobody."""

    partition: str
    nodes: int
    hardware: InstanceType
    account: str
    hours: int


def place(*, asked: JobAsked, slurm: SlurmCommon, pools: Sequence[Pool], usual_hours: int) -> Placement:
    """Find the job's place. ``usual_hours`` is its time where none is asked, as far as the partition lets it.

    Raises ``UsageError`` JOB-001 to JOB-005.
    """
    partition = _partition(asked.partition, slurm.partitions)
    own = [pool for pool in pools if pool.name in partition.pools]
    hardware, account = _hardware(partition, own), _account(asked.account, partition, slurm)
    most = _most_of_team(account, slurm, hardware)
    return Placement(
        partition=partition.name,
        nodes=_nodes(asked.nodes, partition, own, most=most),
        hardware=hardware,
        account=account,
        hours=_hours(asked.hours, partition, usual_hours),
    )


def _partition(name: str | None, partitions: Sequence[Partition]) -> Partition:
    names = ", ".join(each.name for each in partitions)
    if name is not None:
        found = next((each for each in partitions if each.name == name), None)
        if found is None:
            raise UsageError(
                f"there is no partition '{name}'",
                error_id="JOB-001",
                remedy=f"Give one of the environment's partitions: {names}.",
            )
        return found
    default = next((each for each in partitions if each.default), None)
    if default is None and len(partitions) > 1:
        raise UsageError(
            "the environment has no default partition",
            error_id="JOB-001",
            remedy=f"Name one with --partition: {names}.",
        )
    return default or partitions[0]


def _most_of_team(account: str, slurm: SlurmCommon, hardware: InstanceType) -> int | None:
    """Nodes that a team's bound leaves it at once; None where it has no bound."""
    bounds = [team.max_gpus for team in slurm.teams if team.name == account and team.max_gpus is not None]
    return bounds[0] // max(hardware.gpus, 1) if bounds else None


def _nodes(nodes: int | None, partition: Partition, pools: Sequence[Pool], *, most: int | None) -> int:
    there = sum(pool.max_nodes for pool in pools)
    if most is not None and (nodes or 1) > most:
        raise UsageError(
            f"{nodes or 1} nodes are asked, and the team may hold the GPUs of {most} at once",
            error_id="JOB-002",
            remedy="Ask for fewer nodes, or raise the team's `max_gpus` in the environment file.",
        )
    most = there if most is None else min(there, most)
    if nodes is not None and not 1 <= nodes <= most:
        raise UsageError(
            f"{nodes} nodes are asked, and partition '{partition.name}' has at most {most}",
            error_id="JOB-002",
            remedy=f"Give a number from 1 to {most}, or let the pool grow in the environment file.",
        )
    return nodes or most


def _hardware(partition: Partition, pools: Sequence[Pool]) -> InstanceType:
    types = sorted({pool.instance_type for pool in pools})
    if len(types) > 1:
        raise UsageError(
            f"partition '{partition.name}' has nodes of several types: {', '.join(types)}",
            error_id="JOB-003",
            remedy="Name a partition whose pools are of one instance type: in a collective all wait for the "
            "slowest.",
        )
    return pool_hardware(pools[0])


def _account(account: str | None, partition: Partition, slurm: SlurmCommon) -> str:
    if not (slurm.accounting and slurm.teams):
        if account is not None:
            raise UsageError(
                f"account '{account}' is given, and the environment has no teams",
                error_id="JOB-004",
                remedy="Leave --account out, or write the team into the environment file.",
            )
        return ""
    allowed = partition.teams or tuple(team.name for team in slurm.teams)
    if account in allowed:
        return account
    given = f"'{account}' is no team of partition '{partition.name}'" if account else "no account is given"
    raise UsageError(
        f"{given}, and Slurm refuses a job that is of none",
        error_id="JOB-004",
        remedy=f"Give --account with one of: {', '.join(allowed)}.",
    )


def _hours(hours: int | None, partition: Partition, usual_hours: int) -> int:
    longest = partition.max_time_hours or _YEAR_HOURS
    if hours is not None and not 1 <= hours <= longest:
        raise UsageError(
            f"{hours} hours are asked, and partition '{partition.name}' takes a time limit from 1 to "
            f"{longest}",
            error_id="JOB-005",
            remedy=f"Give a number of hours from 1 to {longest}; a training goes on by itself after it.",
        )
    return hours or min(usual_hours, longest)
