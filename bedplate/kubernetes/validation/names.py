"""Names of what validation puts into a cluster."""

from __future__ import annotations

from bedplate.node.kubernetes.names import DOMAIN, SYSTEM_NAMESPACE

NAMESPACE = SYSTEM_NAMESPACE
"""It must admit privileged pods (``pod-security.kubernetes.io/enforce: privileged``)."""
PART_LABEL = f"{DOMAIN}/part"
PART = "validation"
"""``bedplate.dev/part=validation`` finds all that any run has put into the cluster."""
RUN_LABEL = f"{DOMAIN}/run"
"""The run that put it there; by it leftovers of a run that was cut off are found."""
PLACE_GATE = f"{DOMAIN}/place"
"""Scheduling gate of every pod of ours until it is told its node."""
INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index"
"""Kubernetes' own: label and annotation of each pod of an Indexed Job."""
JOB_LABEL = "batch.kubernetes.io/job-name"
PRIORITY_CLASS = "bedplate-validation"
CONTAINER = "bedplate"
PROGRAM_FILE = "node.pyz"
"""Key in the ConfigMap and name of the file in the pod."""
MOUNT = "/bedplate"


def labels(run_id: str) -> dict[str, str]:
    """Of everything that a run puts into the cluster."""
    return {PART_LABEL: PART, RUN_LABEL: run_id}


def selector(run_id: str = "") -> str:
    """Finds it again; without a run, that of all runs."""
    return f"{PART_LABEL}={PART}" + (f",{RUN_LABEL}={run_id}" if run_id else "")
