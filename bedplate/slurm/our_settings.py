"""What Bedplate sets in slurm.conf for GPU clusters, why, and from where the figure is.

One list for every way to run Slurm; a service that keeps a parameter for itself gets the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bedplate.node.bootstrap.places import HOOKS
from bedplate.slurm.cluster_shape import ClusterShape

_MAX_WINDOW_MINUTES = 43_200
"""The most that ``bf_window`` takes (slurm.conf(5))."""
_WEEK_MINUTES = 7 * 24 * 60


@dataclass(frozen=True)
class OurSetting:
    """A parameter of the cluster. ``value`` is None where the cluster has no use for it."""

    parameter: str
    value: Callable[[ClusterShape], str | None]
    why: str
    not_on: tuple[str, ...] = ()
    """Orchestrators that would take it and are the worse for it."""


def _always(value: str) -> Callable[[ClusterShape], str | None]:
    return lambda _: value


def _recorded(value: str) -> Callable[[ClusterShape], str | None]:
    """Only where jobs are recorded: slurmctld takes it for an error elsewhere (seen on 22.05)."""
    return lambda shape: value if shape.accounting else None


def _scheduler(shape: ClusterShape) -> str:
    longest = _WEEK_MINUTES if shape.longest_hours is None else shape.longest_hours * 60
    window = max(1440, min(longest, _MAX_WINDOW_MINUTES))
    return f"bf_continue,bf_window={window},bf_resolution=300,bf_max_job_test=1000,nohold_on_prolog_fail"


OUR_SETTINGS = (
    OurSetting(
        "AccountingStorageTRES",
        lambda shape: "gres/gpu" if shape.accounting else None,
        "GPU hours are recorded by team. Without a database slurmctld ends at it (seen on 22.05).",
    ),
    OurSetting(
        "AccountingStorageEnforce",
        lambda shape: "associations,limits,qos,safe" if shape.accounting and shape.teams else None,
        "A job runs in the name of a team that its user is in, and only within the team's bound.",
    ),
    OurSetting(
        "EnforcePartLimits",
        _always("ALL"),
        "A job that asks for more than a partition can ever give is refused at submission, not left pending "
        "for ever.",
    ),
    OurSetting(
        "JobRequeue",
        _always("1"),
        "A job whose node is lost starts again by itself, from its last checkpoint.",
    ),
    OurSetting(
        "KillOnBadExit",
        _always("1"),
        "A task that fails ends its step: the other ranks would wait in a collective for ever.",
    ),
    OurSetting(
        "KillWait",
        _always("60"),
        "Ranks that hold GPUs need longer than half a minute between SIGTERM and SIGKILL to let go of them.",
    ),
    OurSetting(
        "UnkillableStepTimeout",
        _always("180"),
        "A step whose processes hang in the driver or in Lustre needs longer than Slurm's minute before the "
        "node is taken out: NCCL's own abort and a Lustre reconnect both end within three.",
    ),
    OurSetting(
        "SlurmdTimeout",
        _always("300"),
        "A node whose processors are busy pinning memory may not answer for minutes, and is not lost.",
    ),
    OurSetting(
        "LaunchParameters",
        _always("use_interactive_step"),
        "`salloc` leads to a node of the allocation, not to a shell on the login node.",
    ),
    OurSetting(
        "TopologyPlugin",
        lambda shape: "topology/tree" if shape.tree else None,
        "Jobs land on near nodes: the head node writes topology.conf from EC2's instance topology. Without "
        "the file slurmctld ends; an empty one is made first (seen on 22.05).",
    ),
    OurSetting(
        "PropagateResourceLimitsExcept",
        _always("MEMLOCK"),
        "EFA registers memory; the limit of the login shell must not come along.",
    ),
    OurSetting(
        "PrologFlags",
        _always("Alloc,Contain"),
        "The prolog runs on all nodes before the first step, which IMEX needs, and what a user starts by ssh "
        "belongs to the job. HyperPod's auto-resume has clashed with it (awslabs/awsome-distributed-ai PR "
        "584).",
        not_on=("slurm-hyperpod",),
    ),
    OurSetting(
        "HealthCheckProgram",
        _always(HOOKS["periodic"]),
        "A node that lost a GPU, an EFA device or a file system is drained within five minutes, with the "
        "check's id in the reason.",
    ),
    OurSetting("HealthCheckInterval", _always("300"), "The check takes seconds and no load on a GPU."),
    OurSetting(
        "HealthCheckNodeState",
        _always("ANY,CYCLE"),
        "Nodes with jobs too: a drain lets them end. CYCLE spreads the nodes over the interval.",
    ),
    OurSetting(
        "Prolog",
        _always(HOOKS["prolog"]),
        "A job is not started on a sick node: within half a minute, without DCGM's diagnostic. On "
        "UltraServers under PCS it makes the job's IMEX domain besides, within a minute.",
    ),
    OurSetting(
        "Epilog",
        _always(HOOKS["epilog"]),
        "What a job leaves behind, such as a memory error of a GPU, is seen before the next one.",
    ),
    OurSetting("PriorityType", _always("priority/multifactor"), "Priorities come from share, age and size."),
    OurSetting(
        "PriorityWeightQOS", _always("100000"), "What an operator ranks by QOS goes before everything else."
    ),
    OurSetting("PriorityWeightFairshare", _recorded("50000"), "Then the team that had less than its share."),
    OurSetting("PriorityWeightAge", _recorded("20000"), "Then who waits longest, so that large jobs start."),
    OurSetting("PriorityWeightJobSize", _always("5000"), "Among equals the larger job goes first."),
    OurSetting("PriorityMaxAge", _always("7-0"), "After a week of waiting nothing more is gained by it."),
    OurSetting("PriorityDecayHalfLife", _always("7-0"), "What a team used counts half after a week."),
    OurSetting(
        "PriorityFavorSmall",
        _always("NO"),
        "Small jobs find a gap by backfill; large ones need the priority.",
    ),
    OurSetting(
        "SchedulerParameters",
        _scheduler,
        "Backfill looks as far ahead as the longest job is, in steps of five minutes, and a failed prolog "
        "leaves the job in the queue instead of holding it (seen on 22.05).",
    ),
)
"""In the order they are written."""
