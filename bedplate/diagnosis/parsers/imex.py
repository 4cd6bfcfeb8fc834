"""The JSON of ``nvidia-imex-ctl -N -j``: an IMEX domain, its nodes, and how each is connected to each.

``status`` of the domain is UP, DOWN or DEGRADED; of a node READY, WAITING_FOR_PEERS, UNAVAILABLE …; of a
connection CONNECTED, INVALID and others. Sources: NVIDIA/DCGM ``DcgmImexManager.cpp`` and its tests; NVIDIA's
IMEX guide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError

TOOL = "nvidia-imex-ctl -N -j"


@dataclass(frozen=True)
class ImexNode:
    """One node of the domain; ``connections`` are (host, status), its own included."""

    host: str
    status: str
    connections: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ImexDomain:
    """The domain as the service of one node sees it."""

    status: str
    nodes: tuple[ImexNode, ...]


def parse_imex(text: str) -> ImexDomain:
    """Read the JSON; ParseError where it is cut, has no status, or a node in it is incomplete."""
    document = one_document(text, tool=TOOL, keys=("nodes",))
    data: Mapping[str, object] = document if isinstance(document, dict) else {}
    nodes = data.get("nodes")
    if not isinstance(nodes, dict):
        raise ParseError(tool=TOOL, reason="there are no nodes in it")
    return ImexDomain(_word(data, "status", "the domain"), tuple(map(_node, nodes.values())))


def _node(value: object) -> ImexNode:
    data: Mapping[str, object] = value if isinstance(value, dict) else {}
    connections = data.get("connections")
    entries = list(connections.values()) if isinstance(connections, dict) else []
    if not entries:
        raise ParseError(tool=TOOL, reason="a node has no connections")
    peers: list[Mapping[str, object]] = [entry if isinstance(entry, dict) else {} for entry in entries]
    return ImexNode(
        host=_word(data, "host", "a node"),
        status=_word(data, "status", "a node"),
        connections=tuple(
            (_word(peer, "host", "a connection"), _word(peer, "status", "a connection")) for peer in peers
        ),
    )


def _word(data: Mapping[str, object], key: str, whose: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ParseError(tool=TOOL, reason=f"{whose} has no {key}")
    return value.strip()[:60]
