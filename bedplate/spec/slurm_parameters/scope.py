"""Where in slurm.conf a parameter stands, in the words of PCS."""

from __future__ import annotations

from typing import Literal

Scope = Literal["cluster", "queue", "node-group"]
"""A line of its own, in a partition's line, or in a node's."""
