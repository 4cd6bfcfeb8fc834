"""All of Kueue's documents for a cluster, in the order in which they can be made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.kubernetes.queues.cluster_queues import (
    VALIDATION_QUEUE,
    cohort,
    only_queues,
    team_queues,
    validation_queues,
)
from bedplate.kubernetes.queues.flavors import flavor
from bedplate.kubernetes.queues.priorities import workload_priorities
from bedplate.kubernetes.queues.topology import topologies
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.shares import divide
from bedplate.spec.pools import Pool

_MOST_FLAVORS = 64
"""Of one resource group (Kueue's CRD, ClusterQueue v1beta2)."""


def queue_documents(*, pools: Sequence[Pool], teams: Sequence[KubernetesTeam]) -> list[dict[str, Any]]:
    """Topologies before flavors, flavors before quotas. The namespaces of the local queues are there before.

    Raises ``ValueError`` as ``divide`` does, for a team with our own queue's name, and for more pools than
    a queue takes.
    """
    if len(pools) > _MOST_FLAVORS:
        raise ValueError(f"{len(pools)} pools: a queue of Kueue takes {_MOST_FLAVORS} at most; join some")
    if any(team.name == VALIDATION_QUEUE for team in teams):
        raise ValueError(f"team {VALIDATION_QUEUE}: the name is that of validation's own queue; use another")
    first = [*topologies(pools), *(flavor(pool) for pool in pools), *workload_priorities()]
    if not teams:
        return [*first, *only_queues(pools)]
    shares = divide(pools=pools, teams=teams)
    own = [each for team in teams for each in team_queues(pools, shares, team)]
    return [*first, cohort(pools, shares), *own, *validation_queues(pools)]
