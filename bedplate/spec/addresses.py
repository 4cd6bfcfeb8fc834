"""How many addresses the GPU subnet and a control subnet need, and have. Arithmetic only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from bedplate.hardware import NoSuchLayout, UnknownInstanceType
from bedplate.spec.endpoints import ENDPOINT_SERVICES
from bedplate.spec.file_systems import Efs, Lustre, LustreTiering, OpenZfs
from bedplate.spec.pool_hardware import pool_hardware
from bedplate.spec.regions import is_local_zone

if TYPE_CHECKING:
    from bedplate.spec.environment import Environment
    from bedplate.spec.file_systems import FileSystem
    from bedplate.spec.network import Network
    from bedplate.spec.orchestrator import KubernetesCommon, Login
    from bedplate.spec.pools import Pool

AWS_RESERVED = 5
"""Addresses that AWS keeps in every subnet (VPC User Guide, "Subnet CIDR blocks")."""
_GIB_PER_LUSTRE_ADDRESS = 1200
"""A file server has an interface of its own and carries at least one target of 1200 GiB: an upper bound."""
_LUSTRE_METADATA_ADDRESSES = 16
"""Metadata servers: one for each 12000 of at most 192000 IOPS, again an upper bound."""
_MBPS_PER_TIERING_ADDRESS = 1000
"""No source says what one server of an Intelligent-Tiering file system moves: a low guess, unverified."""
_OPENZFS_ADDRESSES = 3
"""Two file servers, of which one stands by, and the address of the endpoint between them."""
_EFS_ADDRESSES = 1
"""One mount target in a zone."""
POD_ADDRESSES = 20
"""Kept for pods on each node of a Kubernetes cluster, beside the node's own. Pods of GPU nodes are few: our
own choice, which the VPC CNI is told too.
"""
_EKS_ADDRESSES = 8
"""EKS makes 2 to 4 interfaces in a cluster's subnets, and as many again during an upgrade (EKS User Guide,
network-reqs: six free addresses in each subnet, sixteen recommended).
"""
_SCHEDULER_ADDRESSES = 1
"""PCS asks for one at least (PCS User Guide, "Subnet requirements for clusters")."""


@dataclass(frozen=True)
class Ranges:
    """The subnets' ranges in a VPC that is made, as CIDR text."""

    gpu: str
    control: tuple[str, str]
    public: str


def subnet_ranges(cidr: str) -> Ranges:
    """The upper half of ``cidr`` for the GPU subnet, quarters of the lower half for the others."""
    lower, upper = IPv4Network(cidr).subnets(prefixlen_diff=1)
    control_a, control_b, public, _spare = lower.subnets(prefixlen_diff=2)
    return Ranges(gpu=str(upper), control=(str(control_a), str(control_b)), public=str(public))


def gpu_subnet_addresses(cidr: str) -> int:
    """Return how many addresses instances can use in the GPU subnet, which is half of the VPC's range."""
    return int(IPv4Network(cidr).num_addresses // 2 - AWS_RESERVED)


def gpu_subnet_need(
    *,
    pools: Iterable[Pool],
    login: Login | None,
    file_systems: Iterable[FileSystem],
    zone: str,
    kubernetes: KubernetesCommon | None = None,
) -> int:
    """Return how many addresses of the GPU subnet are taken when all pools are at their largest.

    File systems and login nodes take none there where ``zone`` is a Local Zone: they stand in the parent
    Region then.
    """
    pods = POD_ADDRESSES if kubernetes else 0
    nodes = sum(pool.max_nodes * (_node_addresses(pool) + pods) for pool in pools)
    if is_local_zone(zone):
        return nodes
    servers = sum(_server_addresses(each) for each in file_systems)
    return nodes + (login.nodes if login else 0) + servers


def control_subnet_addresses(cidr: str) -> int:
    """Return how many addresses a control subnet has, which is an eighth of the VPC's range."""
    return int(IPv4Network(cidr).num_addresses // 8 - AWS_RESERVED)


def control_subnet_need(
    *,
    network: Network,
    login: Login | None,
    file_systems: Iterable[FileSystem],
    kubernetes: KubernetesCommon | None = None,
) -> int:
    """Return how many addresses of the first control subnet are taken, the fuller one.

    The control plane's interfaces, system nodes of Kubernetes with their pods, an endpoint for each service
    in a closed network, mount targets of EFS, and beside a Local Zone the login nodes and file systems.
    """
    need = _SCHEDULER_ADDRESSES
    if kubernetes is not None:
        need += _EKS_ADDRESSES + kubernetes.system_nodes.nodes * (1 + POD_ADDRESSES)
    if network.internet == "none":
        own = sum(each.kind == "Interface" for each in ENDPOINT_SERVICES)
        need += own + len(set(network.endpoint_services))
    if is_local_zone(network.zone):
        return need + (login.nodes if login else 0) + sum(_server_addresses(each) for each in file_systems)
    return need + sum(_EFS_ADDRESSES for each in file_systems if isinstance(each, Efs))


def gpu_addresses_needed(environment: Environment) -> int:
    """Return how many addresses an environment takes in its GPU subnet."""
    return gpu_subnet_need(
        pools=environment.pools,
        login=environment.login,
        file_systems=environment.storage.file_systems,
        zone=environment.network.zone,
        kubernetes=environment.kubernetes,
    )


def beside_addresses_needed(environment: Environment) -> int:
    """Return how many addresses login nodes and file systems take in the first control subnet: some beside a
    Local Zone, else none.
    """
    network = environment.network
    if not is_local_zone(network.zone):
        return 0
    return gpu_subnet_need(
        pools=(),
        login=environment.login,
        file_systems=environment.storage.file_systems,
        zone=network.control_zones[0],
    )


def _node_addresses(pool: Pool) -> int:
    """One for what the hardware table does not know: rules count a draft, in which it may be wrong."""
    try:
        return pool_hardware(pool).addresses
    except (UnknownInstanceType, NoSuchLayout):
        return 1


def _server_addresses(file_system: FileSystem) -> int:
    if isinstance(file_system, Lustre):
        return -(-file_system.capacity_gib // _GIB_PER_LUSTRE_ADDRESS) + _LUSTRE_METADATA_ADDRESSES
    if isinstance(file_system, LustreTiering):
        return -(-file_system.throughput_mbps // _MBPS_PER_TIERING_ADDRESS) + _LUSTRE_METADATA_ADDRESSES
    if isinstance(file_system, OpenZfs):
        return _OPENZFS_ADDRESSES
    return _EFS_ADDRESSES if isinstance(file_system, Efs) else 0
