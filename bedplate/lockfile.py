"""What ``bedplate lock`` asked of AWS once: a reviewed file beside the environment, the only source of synth.

``environments/NAME.lock.json`` belongs to ``environments/NAME.yaml``. Synthesis reads it and never a clock,
so the same two files give the same templates on any day. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from bedplate.errors import SpecRefused

LOCK_VERSION = 1

ReservationKind = Literal["on-demand", "capacity-block", "ultraserver-block", "interruptible"]

BLOCKS: frozenset[ReservationKind] = frozenset({"capacity-block", "ultraserver-block"})
"""Kinds that begin and end at a time that was bought."""


class LockRefused(SpecRefused):
    """The lock file cannot be used (LCK-001 …), so neither can the environment."""


def lock_path(environment_file: Path) -> Path:
    """Where the lock file of an environment file lies."""
    return environment_file.with_name(environment_file.stem + ".lock.json")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_YEARS = range(2006, 3000)
"""EC2 began in 2006. Near the ends of the calendar a moment before the end, or in UTC, cannot be told."""
Architecture = Literal["x86_64", "arm64"]
ReservationId = Annotated[str, StringConstraints(pattern=r"^cr-[0-9a-f]{17}$")]


class LockedImage(_Frozen):
    """The AMI behind one version of a public SSM parameter."""

    parameter: str
    version: int = Field(ge=1)
    image_id: str = Field(pattern=r"^ami-[0-9a-f]{8,17}$")


class LockedReservation(_Frozen):
    """A capacity reservation as EC2 describes it; ``end`` is None where it has none.

    A block has a start and an end. ``instances`` is what was reserved, free or in use.
    """

    kind: ReservationKind
    instance_type: str
    zone_id: str
    instances: int = Field(ge=0)
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    placement_group_arn: str | None = None

    @model_validator(mode="after")
    def _a_block_has_times(self) -> Self:
        if self.kind in BLOCKS and (self.start is None or self.end is None):
            raise ValueError(f"a {self.kind} has a start and an end")
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError("the end is not after the start")
        for moment in (self.start, self.end):
            if moment is not None and moment.year not in _YEARS:
                raise ValueError(f"{moment.year} is no year in which a reservation begins or ends")
        return self


class LockFile(_Frozen):
    """Everything that synthesis needs to know of AWS, as of ``locked_at``, which is only shown."""

    version: Literal[1]
    environment: str
    account: str
    region: str
    locked_at: AwareDatetime
    images: dict[Architecture, LockedImage] = Field(description="Architecture → image")
    reservations: dict[ReservationId, LockedReservation] = Field(description="Reservation id → reservation")
    offerings: dict[str, tuple[str, ...]] = Field(
        description="Instance type → zone ids of the Region that offer it"
    )

    simulated: bool = Field(default=False, description="Whether something else than AWS answered")

    @property
    def image_ids(self) -> dict[str, str]:
        """Architecture → AMI id."""
        return {architecture: image.image_id for architecture, image in self.images.items()}


def read_lock(environment_file: Path) -> LockFile | None:
    """Read the lock file beside an environment file; None where there is none.

    Raises ``LockRefused`` (LCK-001) for one that cannot be read or is no lock file.
    """
    path = lock_path(environment_file)
    try:
        content = path.read_bytes()
        _refuse_keys_twice(content)
        return LockFile.model_validate_json(content)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}", environment_file) from error
    except ValidationError as error:
        raise _broken(path, _first(error), environment_file) from error
    except _KeyTwice as error:
        raise _broken(path, str(error), environment_file) from error


class _KeyTwice(Exception):
    pass


def _refuse_keys_twice(content: bytes) -> None:
    # What cannot be read at all is told by the model's own reader, with the place.
    with suppress(ValueError, RecursionError):
        json.loads(content, object_pairs_hook=_each_key_once)


def _each_key_once(pairs: list[tuple[str, object]]) -> None:
    """Refuse a key that is there twice, as after a merge: JSON's readers keep one of them silently."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _KeyTwice(f"'{key[:80]}' is given twice in one object")
        seen.add(key)


def _first(error: ValidationError) -> str:
    """The first problem as ``place: what``, with how many more there are."""
    first, *more = error.errors(include_url=False)
    place = ".".join(str(part) for part in first["loc"])
    text = f"{place}: {first['msg']}" if place else str(first["msg"])
    return f"{text} (and {len(more)} more)" if more else text


def _broken(path: Path, problem: str, environment_file: Path) -> LockRefused:
    return LockRefused(
        f"{path}: {problem}",
        error_id="LCK-001",
        remedy=f"Write it anew: bedplate lock -e {environment_file.stem}; it is not edited by hand.",
        file=str(environment_file),
    )
