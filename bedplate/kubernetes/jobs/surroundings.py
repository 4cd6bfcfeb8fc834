"""What stands around a job of every kind: labels for admission, annotations for topology and gang."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.queues.topology import levels_of

_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
_VOLCANO_GROUP = "scheduling.k8s.io/group-name"


def labels(asked: JobAsked) -> dict[str, str]:
    """Of the job itself: Kueue reads its queue and priority there, KAI its queue."""
    made = {}
    if asked.queue:
        made["kueue.x-k8s.io/queue-name"] = asked.queue
        if asked.priority:
            made["kueue.x-k8s.io/priority-class"] = asked.priority
    return {**made, **pod_labels(asked)}


def pod_labels(asked: JobAsked) -> dict[str, str]:
    """Of each pod."""
    return {"kai.scheduler/queue": asked.scheduler_queue} if asked.scheduler == "kai" else {}


def pod_annotations(asked: JobAsked, *, group: str = "") -> dict[str, str]:
    """Of each pod: where Kueue places the set of pods, and which gang Volcano starts it with.

    ``group`` is the name of pod sets that are placed as one, such as a leader and its workers.
    """
    made = {}
    if asked.queue:
        made[f"kueue.x-k8s.io/podset-{asked.near}-topology"] = levels_of(asked.pool).nearest
        if group:
            made["kueue.x-k8s.io/podset-group-name"] = group
    if asked.scheduler == "volcano":
        made[_VOLCANO_GROUP] = asked.name
    return made


def scheduler_of(asked: JobAsked) -> dict[str, str]:
    """The pod's ``schedulerName``; empty for Kubernetes' own."""
    return {"schedulerName": _SCHEDULERS[asked.scheduler]} if asked.scheduler in _SCHEDULERS else {}


def priority_of(asked: JobAsked) -> dict[str, str]:
    """The pod's ``priorityClassName``, which has the name of Kueue's; empty where none is asked."""
    return {"priorityClassName": asked.priority} if asked.priority else {}


def suspended(asked: JobAsked) -> dict[str, bool]:
    """Kueue starts what it admits; until then no pod is made."""
    return {"suspend": True} if asked.queue else {}


def gang(asked: JobAsked, *, pods: int) -> list[dict[str, Any]]:
    """Volcano's ``PodGroup``: it starts all pods of the job or none."""
    if asked.scheduler != "volcano":
        return []
    queue = {"queue": asked.scheduler_queue} if asked.scheduler_queue else {}
    return [
        {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": asked.name, "namespace": asked.namespace},
            "spec": {"minMember": pods, **queue},
        }
    ]


def only_by(asked: JobAsked, *schedulers: str, kind: str) -> None:
    """Raise ``ValueError`` where this kind of job is no gang under the scheduler that is asked."""
    if asked.scheduler not in schedulers:
        raise ValueError(
            f"job {asked.name}: {kind} is not rendered as a gang for {asked.scheduler}; "
            f"it is for {', '.join(schedulers)}"
        )


def metadata(asked: JobAsked, *, name: str = "") -> dict[str, Any]:
    """Name, namespace and labels of the job's own document."""
    made: dict[str, Any] = {"name": name or asked.name, "namespace": asked.namespace}
    found = labels(asked)
    return {**made, "labels": found} if found else made
