"""What a way to the nodes may be told about them, once they have been found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class KnownNode:
    """One node: ``gpus`` and ``partitions`` as its pool has them, ``selection_tags`` find all of the pool."""

    instance_id: str
    private_ip: str
    gpus: int
    partitions: tuple[str, ...] = ()
    selection_tags: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class KnowsNodes(Protocol):
    """A transport that works with it."""

    def know_nodes(self, nodes: Sequence[KnownNode], /) -> None:
        """These are all nodes that there are, login nodes aside."""
        ...
