"""The JSON of ``nvidia-imex-ctl -N -j``: an IMEX domain, its nodes, and how each is connected to each.

``status`` of the domain is UP, DOWN or DEGRADED; of a node READY, WAITING_FOR_PEERS, UNAVAILABLE …; of a
connection CONNECTED, INVALID and others. Sources: NVIDIA/DCGM ``DcgmImexManager.cpp`` and its tests; NVIDIA's
IMEX guide.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

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
    start = text.find("{")
    if start < 0:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "it is empty")
        raise ParseError(tool=TOOL, reason=f"there is no JSON in it: {first[:200]}")
    try:
        document = json.JSONDecoder(object_pairs_hook=_unique).raw_decode(text[start:])[0]
    except (ValueError, RecursionError) as error:
        raise ParseError(tool=TOOL, reason=f"its JSON is cut or broken: {str(error)[:200]}") from error
    data: Mapping[str, object] = document if isinstance(document, dict) else {}
    nodes = data.get("nodes")
    if not isinstance(nodes, dict):
        raise ParseError(tool=TOOL, reason="there are no nodes in it")
    return ImexDomain(_word(data, "status", "the domain"), tuple(map(_node, nodes.values())))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is in an object twice")
    return found


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
