"""LeaderWorkerSet: inference over several nodes; prefill and decode as two sets of groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import needs_domain
from bedplate.kubernetes.jobs.pod import container, pod
from bedplate.kubernetes.jobs.surroundings import metadata, only_by


@dataclass(frozen=True, kw_only=True)
class Groups:
    """``count`` groups of ``nodes_each`` nodes, each one copy of the model; all its pods run ``command``."""

    count: int
    nodes_each: int
    command: tuple[str, ...]


def disaggregated(asked: JobAsked, *, prefill: Groups, decode: Groups) -> list[dict[str, Any]]:
    """Two LeaderWorkerSets named after the job, ``NAME-prefill`` and ``NAME-decode``.

    ``asked.nodes`` is what both have together. Each group is one gang, started anew when a pod of it fails.
    Raises ``ValueError`` where the numbers contradict each other, for Volcano and KAI, and on GB200, where
    each group would need an NVLink domain of its own.
    """
    only_by(asked, "default", kind="a LeaderWorkerSet")
    if needs_domain(asked.pool):
        raise ValueError(
            f"job {asked.name}: no LeaderWorkerSet is rendered for {asked.pool.instance_type}, where each "
            "group needs an NVLink domain of its own"
        )
    for role, each in (("prefill", prefill), ("decode", decode)):
        if each.count < 1 or each.nodes_each < 1 or not each.command:
            raise ValueError(f"job {asked.name}: {role} needs at least one group, one node and a command")
    total = sum(each.count * each.nodes_each for each in (prefill, decode))
    if total != asked.nodes:
        raise ValueError(f"job {asked.name}: its groups have {total} nodes, and {asked.nodes} are asked for")
    return [_set(asked, role=role, groups=each) for role, each in (("prefill", prefill), ("decode", decode))]


def _set(asked: JobAsked, *, role: str, groups: Groups) -> dict[str, Any]:
    one = replace(asked, command=groups.command)
    # Pods of a set are restarted by their set: the template may name no other policy.
    # Kueue takes a group of exactly two sets of pods, and a leader alone is one.
    together = f"{asked.name}-{role}" if groups.nodes_each > 1 else ""
    template = pod(one, [container(one, name=role)], restart=None, group=together)
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": metadata(asked, name=f"{asked.name}-{role}"),
        "spec": {
            "replicas": groups.count,
            "startupPolicy": "LeaderCreated",
            "leaderWorkerTemplate": {
                "size": groups.nodes_each,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": template,
                "workerTemplate": template,
            },
        },
    }
