"""What torchrun is told where no operator tells it: where the first node is, and how many there are."""

from __future__ import annotations

from bedplate.kubernetes.counts import pod_share
from bedplate.kubernetes.jobs.asked import JobAsked

_PORT = 29500
"""torchrun's own default; each job's pods have addresses of their own, so that no two jobs meet."""


def rendezvous(asked: JobAsked, *, first: str) -> dict[str, str]:
    """Variables that torchrun reads (its options as ``PET_*``) and that a program may read itself.

    A node's rank is its pod's ``JOB_COMPLETION_INDEX``, which Kubernetes sets; with c10d torchrun needs none.
    """
    return {
        "MASTER_ADDR": first,
        "MASTER_PORT": str(_PORT),
        "PET_NNODES": str(asked.nodes),
        "PET_NPROC_PER_NODE": str(pod_share(asked.pool).gpus),
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": f"{first}:{_PORT}",
        "PET_RDZV_ID": asked.name,
    }
