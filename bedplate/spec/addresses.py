"""How many addresses the GPU subnet needs, and has. Arithmetic only."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from bedplate.hardware import INSTANCE_TYPES

if TYPE_CHECKING:
    from bedplate.spec.environment import Environment
    from bedplate.spec.orchestrator import Login
    from bedplate.spec.pools import Pool
    from bedplate.spec.storage import Lustre

AWS_RESERVED = 5
"""Addresses that AWS keeps in every subnet (VPC User Guide, "Subnet CIDR blocks")."""
_GIB_PER_LUSTRE_ADDRESS = 1200
"""A file server has an interface of its own and carries at least one target of 1200 GiB: an upper bound."""
_LUSTRE_METADATA_ADDRESSES = 16
"""Metadata servers: one for each 12000 of at most 192000 IOPS, again an upper bound."""


def gpu_subnet_addresses(cidr: str) -> int:
    """Return how many addresses instances can use in the GPU subnet, which is half of the VPC's range."""
    return int(IPv4Network(cidr).num_addresses // 2 - AWS_RESERVED)


def gpu_subnet_need(*, pools: Iterable[Pool], login: Login | None, lustre: Lustre | None) -> int:
    """Return how many addresses of the GPU subnet are taken when all pools are at their largest."""
    nodes = sum(
        pool.max_nodes
        * (INSTANCE_TYPES[pool.instance_type].addresses if pool.instance_type in INSTANCE_TYPES else 1)
        for pool in pools
    )
    servers = 0
    if lustre is not None:
        servers = -(-lustre.capacity_gib // _GIB_PER_LUSTRE_ADDRESS) + _LUSTRE_METADATA_ADDRESSES
    return nodes + (login.nodes if login else 0) + servers


def gpu_addresses_needed(environment: Environment) -> int:
    """Return how many addresses an environment takes in its GPU subnet."""
    return gpu_subnet_need(
        pools=environment.pools,
        login=environment.orchestrator.login,
        lustre=environment.storage.lustre,
    )
