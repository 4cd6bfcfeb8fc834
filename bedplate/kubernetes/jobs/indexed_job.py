"""Kubernetes' own Job with an index for each node: needs no operator."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import compute_domain
from bedplate.kubernetes.jobs.pod import container, pod
from bedplate.kubernetes.jobs.rendezvous import rendezvous
from bedplate.kubernetes.jobs.surroundings import gang, metadata, only_by, suspended

_JOB_LABEL = "batch.kubernetes.io/job-name"


def indexed_job(asked: JobAsked) -> list[dict[str, Any]]:
    """The job, and a headless service, by which its pods find the first one.

    A pod that fails ends the job: in a collective all others wait for it. Raises ``ValueError`` for KAI,
    whose gang of a Job has one member.
    """
    only_by(asked, "default", "volcano", kind="a plain Job")
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": asked.name, "namespace": asked.namespace},
        "spec": {
            "clusterIP": "None",
            "selector": {_JOB_LABEL: asked.name},
            # The first pod is looked for before it is ready.
            "publishNotReadyAddresses": True,
        },
    }
    more = rendezvous(asked, first=f"{asked.name}-0.{asked.name}")
    template = pod(asked, [container(asked, name="node", more=more)], more={"subdomain": asked.name})
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(asked),
        "spec": {**indexed(asked.nodes), **suspended(asked), "template": template},
    }
    domain = compute_domain(asked.pool, job=asked.name, namespace=asked.namespace)
    return [*domain, *gang(asked, pods=asked.nodes), service, job]


def indexed(nodes: int) -> dict[str, Any]:
    """The part of a Job's spec that makes one pod a node, all at once, none of them twice."""
    return {"completionMode": "Indexed", "completions": nodes, "parallelism": nodes, "backoffLimit": 0}
