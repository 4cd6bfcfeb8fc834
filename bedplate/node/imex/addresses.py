"""The addresses of a job's nodes, as Slurm knows them."""

from __future__ import annotations

import ipaddress
import time
from dataclasses import dataclass
from typing import Optional, Tuple

from bedplate.node.slurm_client import SlurmClient

_AGAIN_SECONDS = 1.0


@dataclass(frozen=True)
class Addresses:
    """All of the job, in the order that each of its nodes works out for itself, and this node's own."""

    all: Tuple[str, ...]
    own: str


def ask_addresses(
    *, nodes: str, own_name: str, slurm: SlurmClient, until: float
) -> Tuple[Optional[Addresses], str]:
    """The addresses, or None and why not. Asked again until the moment ``until``: a node that has just come
    up may stand there by its name.
    """
    while True:
        found, problem = _addresses(nodes, own_name, slurm)
        if found is not None or time.monotonic() + _AGAIN_SECONDS >= until:
            return found, problem
        time.sleep(_AGAIN_SECONDS)


def _addresses(nodes: str, own_name: str, slurm: SlurmClient) -> Tuple[Optional[Addresses], str]:
    shown = {node.name: node.address for node in slurm.nodes(nodes)}
    if not shown:
        return None, "Slurm did not say the addresses of the job's nodes"
    if own_name not in shown:
        return None, f"Slurm does not count this node among the job's: {own_name}"
    for name, address in shown.items():
        if not _is_address(address):
            return None, f"Slurm has no address of {name} yet"
    if len(set(shown.values())) < len(shown):
        return None, "Slurm has one address for two of the job's nodes"
    return Addresses(tuple(sorted(shown.values(), key=_order)), shown[own_name]), ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _order(address: str) -> Tuple[int, int]:
    parsed = ipaddress.ip_address(address)
    return parsed.version, int(parsed)
