"""How stacks and resources of an environment are called."""

from __future__ import annotations

from typing import Literal

Role = Literal["network", "storage", "orchestration", "observability", "validation"]


def stack_name(*, environment: str, role: Role) -> str:
    """``bedplate-<environment>-<role>``."""
    return f"bedplate-{environment}-{role}"


def cluster_name(environment: str) -> str:
    """The PCS cluster's name: the environment's, told from other clusters of the account by its prefix."""
    return f"bedplate-{environment}"
