"""What kube-state-metrics tells of a Kubernetes cluster's objects, as far as a gate or an alert needs it.

Its own label ``node`` is ``kube_node`` here: ``node`` is one that the agent adds to every series, so that
whoever scrapes it has to rename it. ``resource`` spells a resource with underscores, ``nvidia_com_gpu`` and
``vpc_amazonaws_com_efa``.
"""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import KUBE_STATE_METRICS
from bedplate.telemetry.metrics.metric import Metric

_ROWS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "kube_node_status_condition",
        ("kube_node", "condition", "status"),
        "cluster node, condition and status, on one exporter",
        "1 for the status that a condition of the node has",
    ),
    (
        "kube_node_spec_unschedulable",
        ("kube_node",),
        "cluster node, on one exporter",
        "1 where the node is cordoned",
    ),
    (
        "kube_node_status_allocatable",
        ("kube_node", "resource", "unit"),
        "cluster node and resource, on one exporter",
        "what the node offers to pods; GPUs and EFAs as their plugins advertise them",
    ),
    (
        "kube_pod_status_phase",
        ("namespace", "pod", "uid", "phase"),
        "pod and phase",
        "1 for the phase that the pod is in",
    ),
    (
        "kube_job_status_failed",
        ("namespace", "job_name", "reason"),
        "job of Kubernetes, and reason where it failed",
        "pods of the job that failed; 1 for the reason of a failed job where it is known",
    ),
)

KUBE_STATE_TABLE = tuple(
    Metric(
        name=name,
        kind="gauge",
        unit="1",
        help=text,
        exporter=KUBE_STATE_METRICS,
        labels=labels,
        series_per=per,
        source="kubernetes/kube-state-metrics: docs/metrics",
    )
    for name, labels, per, text in _ROWS
)
