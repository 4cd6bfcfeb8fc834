"""JobSet: one job of whole nodes that is started anew as a whole when one of them fails."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import compute_domain
from bedplate.kubernetes.jobs.indexed_job import indexed
from bedplate.kubernetes.jobs.pod import container, pod
from bedplate.kubernetes.jobs.rendezvous import rendezvous
from bedplate.kubernetes.jobs.surroundings import gang, metadata, suspended

_GROUP = "node"
_RESTARTS = 3
"""Our choice: as often a training goes on from its last checkpoint before somebody has to look."""


def job_set(asked: JobAsked, *, restarts: int = _RESTARTS) -> list[dict[str, Any]]:
    """The JobSet, whose controller makes the headless service, named like it."""
    first = f"{asked.name}-{_GROUP}-0-0.{asked.name}"
    template = pod(asked, [container(asked, name=_GROUP, more=rendezvous(asked, first=first))])
    made = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata(asked),
        "spec": {
            **suspended(asked),
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
            "failurePolicy": {"maxRestarts": restarts},
            "replicatedJobs": [
                {
                    "name": _GROUP,
                    "replicas": 1,
                    "template": {"spec": {**indexed(asked.nodes), "template": template}},
                }
            ],
        },
    }
    domain = compute_domain(asked.pool, job=asked.name, namespace=asked.namespace)
    return [*domain, *gang(asked, pods=asked.nodes), made]
