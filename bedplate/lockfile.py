"""What ``bedplate lock`` asked of AWS once: a reviewed file beside the environment, the only source of synth.

``environments/NAME.lock.json`` belongs to ``environments/NAME.yaml``. Synthesis reads it and never a clock, so
the same two files give the same templates on any day. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

LOCK_VERSION = 1

ReservationKind = Literal["on-demand", "capacity-block", "ultraserver-block", "interruptible"]


def lock_path(environment_file: Path) -> Path:
    """Where the lock file of an environment file lies."""
    return environment_file.with_name(environment_file.stem + ".lock.json")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LockedImage(_Frozen):
    """The AMI behind one version of a public SSM parameter."""

    parameter: str
    version: int = Field(ge=1)
    image_id: str = Field(pattern=r"^ami-[0-9a-f]{8,17}$")


class LockedReservation(_Frozen):
    """A capacity reservation as EC2 describes it; ``end`` is None where it has none."""

    kind: ReservationKind
    instance_type: str
    zone_id: str
    instances: int = Field(ge=0)
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    placement_group_arn: str | None = None


class LockFile(_Frozen):
    """Everything that synthesis needs to know of AWS, as of ``locked_at``."""

    version: Literal[1] = 1
    environment: str
    account: str
    region: str
    locked_at: AwareDatetime
    images: dict[str, LockedImage] = Field(description="Architecture → image")
    reservations: dict[str, LockedReservation] = Field(description="Reservation id → reservation")
    offerings: dict[str, tuple[str, ...]] = Field(
        description="Instance type → zone ids of the Region that offer it"
    )
