"""What HyperPod's task governance is told: who comes first, and what each team has."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.kubernetes.hyperpod.quota_shares import team_nodes
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

PRIORITIES: Mapping[str, int] = {"urgent": 100, "training": 50, "checks": 0}
"""Priority class → its weight; HyperPod adds ``-priority`` to the name in the cluster. Checks of nodes end no
training. A choice of ours."""
FAIR_SHARE_WEIGHT = 50
"""Of every team: what is idle is lent in equal parts. A choice of ours."""
_LONGEST_NAME = 63


def team_namespace(team: str) -> str:
    """The namespace that HyperPod makes for a team with a quota."""
    return f"hyperpod-ns-{team}"


def team_queue(team: str) -> str:
    """The team's queue in it, which a job's label ``kueue.x-k8s.io/queue-name`` says."""
    return f"{team_namespace(team)}-localqueue"


def scheduler_config(*, cluster_name: str, cluster_arn: str) -> dict[str, Any]:
    """AWS::SageMaker::ClusterSchedulerConfig, one a cluster."""
    return {
        "Name": cluster_name,
        "ClusterArn": cluster_arn,
        "SchedulerConfig": {
            "PriorityClasses": [{"Name": name, "Weight": weight} for name, weight in PRIORITIES.items()],
            "FairShare": "Enabled",
            # What is no team's own, such as a node that could not be divided, may be borrowed too.
            "IdleResourceSharing": "Enabled",
        },
    }


def compute_quotas(
    orchestrator: EksHyperPod, *, pools: Sequence[Pool], cluster_name: str, cluster_arn: str
) -> dict[str, dict[str, Any]]:
    """Team → AWS::SageMaker::ComputeQuota. ``ValueError`` where the teams want what the pools do not have.

    Quotas count nodes: with a whole node go its EFAs, cores and memory. A team that borrows may take all that
    is not its own; every team lends what it leaves idle.
    """
    fleet = _fleet(pools)
    shares = team_nodes(orchestrator.teams, fleet=fleet)
    made: dict[str, dict[str, Any]] = {}
    for team in orchestrator.teams:
        own = shares[team.name]
        sharing: dict[str, Any] = {"Strategy": "Lend"}
        if team.borrows:
            sharing = {
                "Strategy": "LendAndBorrow",
                "AbsoluteBorrowLimits": _counted({kind: fleet[kind][0] - own[kind] for kind in fleet}),
            }
        made[team.name] = {
            "Name": _quota_name(cluster_name, team.name),
            "ClusterArn": cluster_arn,
            "ComputeQuotaConfig": {
                "ComputeQuotaResources": _counted(own),
                "ResourceSharingConfig": sharing,
                "PreemptTeamTasks": "LowerPriority",
            },
            "ComputeQuotaTarget": {"TeamName": team.name, "FairShareWeight": FAIR_SHARE_WEIGHT},
            "ActivationState": "Enabled",
        }
    return made


def _fleet(pools: Sequence[Pool]) -> dict[str, tuple[int, int]]:
    """Instance type → its nodes and the GPUs of each, in the order of the pools."""
    made: dict[str, tuple[int, int]] = {}
    for pool in pools:
        hardware = pool_hardware(pool)
        nodes = made.get(hardware.name, (0, 0))[0] + pool.max_nodes
        made[hardware.name] = (nodes, hardware.gpus)
    return made


def _counted(nodes: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{"InstanceType": f"ml.{kind}", "Count": count} for kind, count in nodes.items()]


def _quota_name(cluster_name: str, team: str) -> str:
    """The cluster's and the team's; a digest where that is too long."""
    made = f"{cluster_name}-{team}"
    if len(made) <= _LONGEST_NAME:
        return made
    digest = hashlib.sha256(made.encode()).hexdigest()[:6]
    return f"{made[: _LONGEST_NAME - len(digest) - 1].rstrip('-')}-{digest}"
