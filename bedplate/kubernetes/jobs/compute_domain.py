"""The NVLink domain of a job on GB200: a ``ComputeDomain`` of NVIDIA's DRA driver, and the pods' claim to it.

The driver makes the claim's template once it sees the domain. No schema of this CRD is held against it here.
"""

from __future__ import annotations

from typing import Any

from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.pools import Pool

CLAIM = "nvlink"


def needs_domain(pool: Pool) -> bool:
    """Whether nodes of the pool share NVLink with others."""
    return pool_hardware(pool).needs_imex


def compute_domain(pool: Pool, *, job: str, namespace: str) -> list[dict[str, Any]]:
    """The job's domain; none where nodes share no NVLink.

    ``numNodes`` is 0: pods start as soon as their own node is in the domain, and it grows with them
    (dra-driver-nvidia-gpu, IMEX daemons with DNS names, its default since 25.8).
    """
    if not needs_domain(pool):
        return []
    return [
        {
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomain",
            "metadata": {"name": job, "namespace": namespace},
            "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": _template(job)}}},
        }
    ]


def claim_of(pool: Pool, job: str) -> dict[str, Any]:
    """The pod's ``resourceClaims``; empty where nodes share no NVLink."""
    if not needs_domain(pool):
        return {}
    return {"resourceClaims": [{"name": CLAIM, "resourceClaimTemplateName": _template(job)}]}


def _template(job: str) -> str:
    return f"{job}-nvlink"
