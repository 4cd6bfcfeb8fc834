"""How the stacks of an environment are called."""

from __future__ import annotations

from typing import Literal

Role = Literal["network", "storage", "orchestration", "observability", "validation"]


def stack_name(*, environment: str, role: Role) -> str:
    """``bedplate-<environment>-<role>``."""
    return f"bedplate-{environment}-{role}"
