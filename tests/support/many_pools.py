"""Environments with a given number of pools: the same file, so many times the same pool and partition."""

from __future__ import annotations

from typing import Any

from bedplate.spec import Environment

MOST_POOLS = 9
"""The most that the rules let through (ORC-010); more is for measuring how the synthesis grows."""


def many_pools(count: int) -> Environment:
    """``count`` on-demand pools of 8 nodes, each in a partition of its own.

    The shape is checked, the rules between fields are not: they refuse more than ``MOST_POOLS``.
    """
    return Environment.model_validate(many_pools_file(count))


def many_pools_file(count: int) -> dict[str, Any]:
    """The same as what stands in a file."""
    names = [f"pool-{number:02}" for number in range(1, count + 1)]
    return {
        "name": "many-pools",
        "account": "123456789012",
        "region": "us-west-2",
        "network": {"zone": "usw2-az2", "control_zones": ["usw2-az1", "usw2-az2"], "cidr": "10.40.0.0/16"},
        "pools": [
            {
                "name": name,
                "instance_type": "p5en.48xlarge",
                "nodes": 8,
                "capacity": {"source": "on-demand"},
            }
            for name in names
        ],
        "storage": {
            "file_systems": [
                {"kind": "lustre", "mount": "/fsx", "capacity_gib": 38400, "throughput_mbps_per_tib": 250}
            ]
        },
        "orchestrator": {
            "kind": "slurm-pcs",
            "partitions": [
                {"name": name, "pools": [name], "default": index == 0} for index, name in enumerate(names)
            ],
        },
    }
