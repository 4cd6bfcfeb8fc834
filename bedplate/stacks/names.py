"""How the stacks of an environment are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Role = Literal["network", "storage", "orchestration", "observability", "validation"]
ROLES: Sequence[Role] = ("network", "storage", "orchestration", "observability", "validation")
"""In the order in which they are deployed."""


def stack_name(*, environment: str, role: Role) -> str:
    """``bedplate-<environment>-<role>``."""
    return f"bedplate-{environment}-{role}"
