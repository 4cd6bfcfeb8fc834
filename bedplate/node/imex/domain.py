"""What a domain's state says of this node: its own fault, a peer's, or none. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.diagnosis.parsers.imex import ImexDomain
from bedplate.node.imex.addresses import Addresses

_UP, _READY, _CONNECTED = "UP", "READY", "CONNECTED"


@dataclass(frozen=True)
class DomainState:
    """``fault`` is this node's own, ``others`` what is wrong elsewhere; both empty where it is up."""

    fault: str = ""
    others: str = ""

    @property
    def is_up(self) -> bool:
        """Whether the job has its domain."""
        return not self.fault and not self.others


def judge_domain(domain: ImexDomain, addresses: Addresses) -> DomainState:
    """Each node judges itself, for a node that fails its prolog is drained: where one of eighteen is at
    fault, the seventeen must not be. A node is at fault that is not ready itself, or that less than half of
    the ready ones are connected with; of two that do not reach each other both are.
    """
    by_host = {node.host: node for node in domain.nodes}
    own = by_host.get(addresses.own)
    if own is None or set(by_host) != set(addresses.all):
        return DomainState(fault="nvidia-imex has another list of nodes than the job")
    if own.status.upper() != _READY:
        return DomainState(fault=f"IMEX of this node is {own.status}")
    ready = [host for host, node in by_host.items() if node.status.upper() == _READY and host != own.host]
    connections = {host: status.upper() for host, status in own.connections}
    apart = [host for host in ready if connections.get(host) != _CONNECTED]
    if 2 * (len(ready) - len(apart)) < len(ready):
        return DomainState(
            fault=f"IMEX reaches {len(ready) - len(apart)} of {len(ready)} nodes that are ready"
        )
    late = [f"{host} is {node.status}" for host, node in by_host.items() if node.status.upper() != _READY]
    late += [f"{host} is not connected" for host in apart]
    if late or domain.status.upper() != _UP:
        return DomainState(others=", ".join(late) or f"the domain is {domain.status}")
    return DomainState()
