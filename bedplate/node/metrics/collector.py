"""What a collector is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List

from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.metrics.exposition import Family


class CollectorError(Exception):
    """The collector cannot tell what it is for; the message is one line."""


@dataclass(frozen=True)
class Surroundings:
    """Of one run. ``root`` stands before absolute paths; ``memory`` is where collectors keep what they need
    at their next run, across boots.
    """

    root: str
    settings: NodeSettings
    memory: Path

    def path(self, absolute: str) -> Path:
        """Where a path of the node lies for this process."""
        return Path(self.root + absolute)


@dataclass(frozen=True)
class Collector:
    """``name`` is the label of its success and the name of its file. ``applies`` says whether a node of these
    settings has what it reads; ``collect`` may raise anything.
    """

    name: str
    applies: Callable[[NodeSettings], bool]
    collect: Callable[[Surroundings], List[Family]]
