"""Instances of the cluster that are in no pool: login nodes, head node or controller, system nodes."""

from __future__ import annotations

from collections import Counter

from bedplate.spec.environment import Environment


def types_beside_pools(environment: Environment) -> Counter[str]:
    """Instance type → how many of them."""
    if environment.kubernetes is not None:
        system = environment.kubernetes.system_nodes
        return Counter({system.instance_type: system.nodes})
    slurm = environment.slurm
    wanted: Counter[str] = Counter()
    if slurm is not None:
        wanted[slurm.login.instance_type] += slurm.login.nodes
        if slurm.control_type is not None:
            wanted[slurm.control_type] += 1
    return wanted
