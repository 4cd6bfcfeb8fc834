"""What a node is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A command of the node program with its options, and how long a node may take for it (s)."""

    command: str
    options: tuple[str, ...] = ()
    deadline_seconds: int = 300
