"""How the stacks of an environment are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Role = Literal["network", "storage", "observability", "orchestration", "validation"]
ROLES: Sequence[Role] = ("network", "storage", "observability", "orchestration", "validation")
"""In the order in which they are deployed."""


def stack_name(*, environment: str, role: Role) -> str:
    """``bedplate-<environment>-<role>``."""
    return f"bedplate-{environment}-{role}"
