"""The priority of validation's pods: nobody is ever evicted for them."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.validation.names import PART, PART_LABEL, PRIORITY_CLASS

VALUE = -1000
"""Under the default of 0, so that any job goes first and may take our place. Under -10 Cluster Autoscaler
launches no node for a pod either. The figure is our own choice.
"""


def priority_class() -> dict[str, Any]:
    """``preemptionPolicy: Never``: a pod of it waits for room and makes none."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS, "labels": {PART_LABEL: PART}},
        "value": VALUE,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Validation by Bedplate. Waits for nodes that are free, and gives way to every job.",
    }
