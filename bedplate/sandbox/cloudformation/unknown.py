"""The value of an intrinsic function before the stack is deployed: it may be anything."""

from __future__ import annotations

from typing import Any


class Unknown:
    """Stands for a value that is known only after other resources exist; no two are taken to be equal."""

    def __repr__(self) -> str:
        return "(known after deploy)"


def without_intrinsics(value: Any) -> Any:
    """A copy of ``value`` with an :class:`Unknown` for every intrinsic function and dynamic reference."""
    if isinstance(value, dict):
        if is_intrinsic(value):
            return Unknown()
        return {key: without_intrinsics(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_intrinsics(item) for item in value]
    if isinstance(value, str) and "{{resolve:" in value:
        return Unknown()
    return value


def is_intrinsic(value: dict[str, Any]) -> bool:
    """Whether a mapping is a call of an intrinsic function."""
    if len(value) != 1:
        return False
    (name,) = value
    return name in {"Ref", "Condition"} or name.startswith("Fn::")
