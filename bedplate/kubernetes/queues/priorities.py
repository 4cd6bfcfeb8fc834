"""The order of jobs: three priorities, in Kueue's terms and in those of Kubernetes."""

from __future__ import annotations

from typing import Any

VALIDATION, TRAINING, URGENT = "bedplate-validation", "bedplate-training", "bedplate-urgent"
PRIORITIES = {VALIDATION: -1000, TRAINING: 0, URGENT: 1000}
"""A job that names none has 0, so that validation gives way to it as well."""
_WHAT = {
    VALIDATION: "Checks of nodes: give way to every job, end none.",
    TRAINING: "What a job has that names no priority.",
    URGENT: "Before other jobs of its queue, and ends them where it needs their nodes.",
}


def workload_priorities() -> list[dict[str, Any]]:
    """``WorkloadPriorityClass`` documents: the order in which Kueue admits jobs and ends them."""
    return [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": _WHAT[name],
        }
        for name, value in PRIORITIES.items()
    ]


def pod_priorities() -> list[dict[str, Any]]:
    """``PriorityClass`` documents for pods. None of them makes the scheduler end pods: it would take single
    pods out of a gang, and Kueue ends jobs as a whole.
    """
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "preemptionPolicy": "Never",
            "globalDefault": False,
            "description": _WHAT[name],
        }
        for name, value in PRIORITIES.items()
    ]
