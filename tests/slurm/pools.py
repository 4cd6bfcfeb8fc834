"""A pool for the documents of every way to run Slurm."""

from __future__ import annotations

from typing import Any

from bedplate.spec.pools import Pool


def pool(**changes: Any) -> Pool:
    """Eight nodes of p5en, On-Demand."""
    data: dict[str, Any] = {
        "name": "h200",
        "instance_type": "p5en.48xlarge",
        "nodes": 8,
        "capacity": {"source": "on-demand"},
        **changes,
    }
    return Pool.model_validate(data)
