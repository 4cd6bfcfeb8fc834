"""What is asked of a job; counts, placement and surroundings follow from its pool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bedplate.spec.pools import Pool

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""Controllers append the names of groups and indexes, and what they make is a host name: 63 at most."""


@dataclass(frozen=True, kw_only=True)
class JobAsked:
    """``nodes`` are whole nodes of ``pool``. ``queue`` is the LocalQueue, empty where nothing admits.

    ``near`` is how the network counts: ``required`` waits for nodes under one leaf switch (one NVLink domain
    on GB200), ``preferred`` takes what is nearest. ``checkpoints_claim`` is a PersistentVolumeClaim that all
    nodes can write, mounted at ``CHECKPOINTS``. ``scheduler_queue`` is Volcano's or KAI's.
    """

    name: str
    namespace: str
    pool: Pool
    nodes: int
    image: str
    command: tuple[str, ...]
    queue: str = ""
    priority: str = ""
    near: Literal["preferred", "required"] = "preferred"
    checkpoints_claim: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    scheduler: Literal["default", "volcano", "kai"] = "default"
    scheduler_queue: str = ""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for what no cluster could run."""
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"job {self.name!r}: a name is 1 to 40 small letters, digits and hyphens, a letter first and "
                "no hyphen last"
            )
        if not 1 <= self.nodes <= self.pool.max_nodes:
            raise ValueError(
                f"job {self.name}: {self.nodes} nodes asked for; pool {self.pool.name} has "
                f"{self.pool.max_nodes}, and a job needs at least 1"
            )
        if not self.command:
            raise ValueError(f"job {self.name}: no command; give the program and its arguments")
        if self.scheduler == "kai" and not self.scheduler_queue:
            raise ValueError(f"job {self.name}: KAI places no pod that names no queue; give scheduler_queue")
