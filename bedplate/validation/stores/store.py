"""Small objects that are written under a condition: what a lock needs and nothing more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class ChangedMeanwhile(Exception):
    """The object is not what the writer took it for: somebody else wrote it first."""


@dataclass(frozen=True)
class Stored:
    """An object as it is now.

    ``tag`` changes with every write. ``age_seconds`` counts from the last write by the store's own clock, so
    that two controllers whose clocks differ agree about it.
    """

    body: bytes
    tag: str
    age_seconds: float


class Store(Protocol):
    """One contract test holds for all of them."""

    def read(self, key: str) -> Stored | None:
        """The object, None where there is none. Raises ``AwsRefused`` where AWS refuses or is away."""
        ...

    def create(self, key: str, body: bytes) -> str:
        """Write an object that is not there yet and return its tag. Raises ``ChangedMeanwhile``."""
        ...

    def replace(self, key: str, body: bytes, *, tag: str) -> str:
        """Write over the object with this tag and return the new one. Raises ``ChangedMeanwhile``."""
        ...

    def write(self, key: str, body: bytes) -> None:
        """Write, whatever is there."""
        ...
