"""Kubeflow's Trainer: TrainJobs, made from training runtimes."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES


def kubeflow_trainer_values(*, version: str) -> dict[str, Any]:
    """Without the JobSet in its chart: that is a release of its own, which outlives a change of ``jobs``.

    Its own runtimes are off too, for they know nothing of EFA; ours take their place.
    """
    return {
        "jobset": {"install": False},
        "image": {"tag": f"v{version}"},
        "manager": {"nodeSelector": SYSTEM_NODES},
        "dataCache": {"enabled": False},
        "runtimes": {"defaultEnabled": False},
    }
