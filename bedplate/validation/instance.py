"""One node as AWS tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Instance:
    """One instance; ``state`` is ``pending`` or ``running``."""

    instance_id: str
    instance_type: str
    private_ip: str
    state: str
    launched_at: datetime | None = None
