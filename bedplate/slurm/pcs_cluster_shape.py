"""What a PCS cluster takes at its creation only: its name, its size, and where its controller stands."""

from __future__ import annotations

from bedplate.spec.environment import Environment

SIZES = (("SMALL", 32), ("MEDIUM", 512), ("LARGE", 2048))
"""Name and most instances, login nodes included (PCS API, CreateCluster)."""
LOGIN_GROUP = "login"
"""Name of the node group of the login nodes."""


def cluster_name(environment: str) -> str:
    """The PCS cluster's name: the environment's, told from other clusters of the account by its prefix."""
    return f"bedplate-{environment}"


def cluster_size(most_instances: int) -> str:
    """The smallest PCS size that holds so many instances; ``ValueError`` beyond the largest."""
    for name, limit in SIZES:
        if most_instances <= limit:
            return name
    raise ValueError(f"most_instances: {most_instances} given, the largest PCS cluster holds {SIZES[-1][1]}")


def most_instances(environment: Environment) -> int:
    """All pools at their largest, and the login nodes."""
    login = environment.login
    return sum(pool.max_nodes for pool in environment.pools) + (login.nodes if login else 0)


def controller_index(environment: Environment) -> int:
    """Which control subnet the controller is in: that in the GPU zone, near its nodes, else the first."""
    zones = environment.network.control_zones
    return zones.index(environment.network.zone) if environment.network.zone in zones else 0
