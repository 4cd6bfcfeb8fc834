"""What kube-state-metrics and Kueue tell of a simulated cluster of Kubernetes."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Sequence

from bedplate.sandbox.telemetry.node import View
from bedplate.telemetry.exposition import Sample, sample

KUBE_STATE_PATH, KUEUE_PATH = "kube-state-metrics", "kueue"
NAMESPACE = QUEUE = "research"
PENDING_WORKLOADS = 3
"""Workloads that wait, whatever happens."""
_PRIORITY = "training"
_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_BUCKETS = (1, 10, 60, 600, 3600)
_WAIT_S, _READY_S = 120.0, 40.0
_ROLE = {"replica_role": "leader"}


def kube_state_samples(views: Sequence[View]) -> Iterator[Sample]:
    """Nodes, a pod on each that a job has, and the jobs."""
    for view in views:
        yield from _node(view)
    for view in views:
        if view.job is not None:
            pod = f"{view.job.name}-{view.truth.slurm_name}"
            identity = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{pod}.{view.job.job_id}"))
            for phase in _PHASES:
                yield sample(
                    "kube_pod_status_phase",
                    phase == "Running",
                    namespace=NAMESPACE,
                    pod=pod,
                    uid=identity,
                    phase=phase,
                )
    for name in sorted({f"{view.job.name}-{view.job.job_id}" for view in views if view.job}):
        yield sample("kube_job_status_failed", 0, namespace=NAMESPACE, job_name=name, reason="")


def _node(view: View) -> Iterator[Sample]:
    """A node that is gone has its last promises: kubelet alone takes them back."""
    node = {"kube_node": view.truth.hostname}
    ready = "unknown" if view.stretch.effects.unreachable else "true"
    for status in ("true", "false", "unknown"):
        yield sample("kube_node_status_condition", status == ready, **node, condition="Ready", status=status)
    yield sample("kube_node_spec_unschedulable", bool(view.situation.drain), **node)
    for resource, count in (
        ("nvidia_com_gpu", len(view.truth.gpus)),
        ("vpc_amazonaws_com_efa", len(view.truth.efas)),
    ):
        yield sample("kube_node_status_allocatable", count, **node, resource=resource, unit="integer")


def kueue_samples(views: Sequence[View]) -> Iterator[Sample]:
    """One queue, whose workloads are the fleet's jobs; none was ever evicted."""
    queue = {"cluster_queue": QUEUE, **_ROLE}
    running = len({view.hpc_job for view in views if view.job})
    for status, count in (("active", PENDING_WORKLOADS), ("inadmissible", 0)):
        yield sample("kueue_pending_workloads", count, **queue, status=status)
    yield sample("kueue_admitted_active_workloads", running, **queue)
    for status in ("pending", "active", "terminated"):
        yield sample("kueue_cluster_queue_status", status == "active", **queue, status=status)
    yield sample(
        "kueue_evicted_workloads_total",
        0,
        **queue,
        reason="NodeFailures",
        underlying_cause="",
        priority_class=_PRIORITY,
    )
    yield sample(
        "kueue_preempted_workloads_total",
        0,
        preempting_cluster_queue=QUEUE,
        reason="InCohortReclamation",
        **_ROLE,
    )
    for name, typical_s in (
        ("kueue_admission_wait_time_seconds", _WAIT_S),
        ("kueue_admitted_until_ready_wait_time_seconds", _READY_S),
    ):
        yield from _histogram(name, running, typical_s=typical_s)


def _histogram(name: str, count: int, *, typical_s: float) -> Iterator[Sample]:
    labels = {"cluster_queue": QUEUE, "priority_class": _PRIORITY, **_ROLE}
    for bound in _BUCKETS:
        share = 1 - math.exp(-bound / typical_s)
        yield sample(f"{name}_bucket", int(count * share), **labels, le=f"{bound:g}")
    yield sample(f"{name}_bucket", count, **labels, le="+Inf")
    yield sample(f"{name}_sum", round(count * typical_s, 3), **labels)
    yield sample(f"{name}_count", count, **labels)
