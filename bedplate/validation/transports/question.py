"""What a node is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A command of the node program with its options, and how long a node may take for it (s).

    ``usable_seconds``: how old an answer may be that a run takes over from one that was cut off; zero where
    only the present counts, as for what the scheduler says.
    """

    command: str
    options: tuple[str, ...] = ()
    deadline_seconds: int = 300
    usable_seconds: float = 0.0

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the node program is called with, without the nonce."""
        return (self.command, *self.options)

    @property
    def digest(self) -> str:
        """The same for the same question."""
        return hashlib.sha256("\n".join(self.arguments).encode("utf-8")).hexdigest()
