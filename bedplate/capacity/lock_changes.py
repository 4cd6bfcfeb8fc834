"""What differs between two lock files, place by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bedplate.lockfile import LockFile

_NOT_COMPARED = frozenset({"version", "locked_at"})


@dataclass(frozen=True, kw_only=True)
class LockChange:
    """One place: ``reservations.cr-….end``; ``None`` is what is not there."""

    place: str
    before: object
    after: object

    def __str__(self) -> str:
        return f"{self.place}: {_text(self.before)} → {_text(self.after)}"


def lock_changes(*, before: LockFile | None, after: LockFile) -> tuple[LockChange, ...]:
    """The places that differ, in order; when they were locked is no difference."""
    old = _flat(before.model_dump(mode="json")) if before else {}
    new = _flat(after.model_dump(mode="json"))
    return tuple(
        LockChange(place=place, before=old.get(place), after=new.get(place))
        for place in sorted(old.keys() | new.keys())
        if old.get(place) != new.get(place) and place not in _NOT_COMPARED
    )


def _flat(value: Any, place: str = "") -> dict[str, object]:
    if not isinstance(value, dict):
        return {place: value}
    return {
        key: leaf
        for name, member in value.items()
        for key, leaf in _flat(member, f"{place}.{name}" if place else name).items()
    }


def _text(value: object) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
