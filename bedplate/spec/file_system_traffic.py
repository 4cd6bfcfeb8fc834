"""Which traffic a kind of file system needs between its servers and its clients. Data with its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs


TrafficKind = Literal["lustre-efa", "lustre-tcp", "nfs"]


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """``ports`` are pairs of first and last; none of them means all traffic of every protocol.

    ``both_ways``: servers also open connections to clients. ``between_servers``: servers speak with each
    other under the same group.
    """

    kind: TrafficKind
    label: str
    ports: tuple[tuple[int, int], ...]
    protocol: str = "tcp"
    both_ways: bool = False
    between_servers: bool = False


LUSTRE_PORTS = ((988, 988), (1018, 1023))
"""Ports of Lustre over TCP (FSx for Lustre User Guide, "File system access control with Amazon VPC")."""
NFS_PORTS = ((2049, 2049),)
"""NFS 4 needs one port (RFC 7530, section 3.1)."""

LUSTRE_EFA = Traffic(
    kind="lustre-efa",
    label="EFA: all traffic, by group id",
    ports=(),
    protocol="-1",
    both_ways=True,
    between_servers=True,
)
"""EFA is matched by group ids alone (FSx for Lustre User Guide, "EFA-enabled file systems")."""
LUSTRE_TCP = Traffic(
    kind="lustre-tcp", label="Lustre", ports=LUSTRE_PORTS, both_ways=True, between_servers=True
)
NFS = Traffic(kind="nfs", label="NFS", ports=NFS_PORTS)

TRAFFIC: dict[TrafficKind, Traffic] = {each.kind: each for each in (LUSTRE_EFA, LUSTRE_TCP, NFS)}


def traffic_of(wanted: ExistingLustre | ExistingOpenZfs | ExistingEfs) -> Traffic:
    """What the security groups of an existing file system and of the cluster must let through."""
    if wanted.kind == "existing-lustre":
        return LUSTRE_EFA if wanted.efa else LUSTRE_TCP
    return NFS
