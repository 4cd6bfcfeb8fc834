"""``ClusterQueue``, ``Cohort`` and ``LocalQueue``: quotas of every resource that jobs ask for, in whole nodes
of every pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.kubernetes.counts import RESOURCES, node_offer
from bedplate.kubernetes.queues.priorities import VALIDATION
from bedplate.node.kubernetes.names import SYSTEM_NAMESPACE
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.shares import Shares
from bedplate.spec.pools import Pool

COHORT = "bedplate"
WHOLE_FLEET = "all"
"""The queue of a cluster without teams."""
VALIDATION_QUEUE = VALIDATION
_API = "kueue.x-k8s.io/v1beta2"
_NAMESPACE_LABEL = "kubernetes.io/metadata.name"
# Owners take their nodes back from whoever borrowed them, whatever the priorities.
_OWNER = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
_NEVER = {"reclaimWithinCohort": "Never", "withinClusterQueue": "Never"}


def cohort(pools: Sequence[Pool], shares: Shares) -> dict[str, Any]:
    """What the teams' queues borrow in; the nodes that are nobody's own are its own."""
    return _document("Cohort", COHORT, {"resourceGroups": _groups(pools, shares.shared)})


def team_queues(pools: Sequence[Pool], shares: Shares, team: KubernetesTeam) -> list[dict[str, Any]]:
    """A team's two queues: its quota, and the queue in its namespace that its jobs name."""
    nodes = shares.of_teams[team.name]
    spec = {
        "cohortName": COHORT,
        "namespaceSelector": {"matchLabels": {_NAMESPACE_LABEL: team.name}},
        "preemption": dict(_OWNER),
        "resourceGroups": _groups(pools, nodes, borrows=team.borrows),
    }
    return [_document("ClusterQueue", team.name, spec), _local(team.name, team.name, team.name)]


def validation_queues(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Where teams share the fleet: a queue that owns nothing, takes idle nodes and ends nobody's job."""
    spec = {
        "cohortName": COHORT,
        "namespaceSelector": {"matchLabels": {_NAMESPACE_LABEL: SYSTEM_NAMESPACE}},
        "preemption": dict(_NEVER),
        "resourceGroups": _groups(pools, {}),
    }
    return [
        _document("ClusterQueue", VALIDATION_QUEUE, spec),
        _local(VALIDATION_QUEUE, SYSTEM_NAMESPACE, VALIDATION_QUEUE),
    ]


def only_queues(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Without teams: one quota of all nodes, for all namespaces. Validation is in it with the lowest
    priority, and only a higher one ends a job there.
    """
    spec = {
        "namespaceSelector": {},
        "preemption": {**_NEVER, "withinClusterQueue": "LowerPriority"},
        "resourceGroups": _groups(pools, {pool.name: pool.max_nodes for pool in pools}),
    }
    return [
        _document("ClusterQueue", WHOLE_FLEET, spec),
        _local(WHOLE_FLEET, "default", WHOLE_FLEET),
        _local(VALIDATION_QUEUE, SYSTEM_NAMESPACE, WHOLE_FLEET),
    ]


def _groups(pools: Sequence[Pool], nodes: Mapping[str, int], *, borrows: bool = True) -> list[dict[str, Any]]:
    flavors = [
        {
            "name": pool.name,
            "resources": [
                {"name": name, "nominalQuota": amount} | ({} if borrows else {"borrowingLimit": 0})
                for name, amount in node_offer(pool).times(nodes.get(pool.name, 0)).items()
            ],
        }
        for pool in pools
    ]
    return [{"coveredResources": list(RESOURCES), "flavors": flavors}]


def _local(name: str, namespace: str, queue: str) -> dict[str, Any]:
    made = _document("LocalQueue", name, {"clusterQueue": queue})
    made["metadata"]["namespace"] = namespace
    return made


def _document(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": _API, "kind": kind, "metadata": {"name": name}, "spec": spec}
