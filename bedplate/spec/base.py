"""What every section of the environment file has in common: frozen, no unknown keys, all fields described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticKnownError

UpdatePolicy = Literal["in-place", "replaces", "stop-fleet", "not-possible"]
"""What changing a field in a deployed environment does.

``in-place``      AWS changes the resource while jobs run
``stop-fleet``    the nodes of the pool (or cluster) must be idle, and are launched anew
``replaces``      AWS makes a new resource and deletes the old one
``not-possible``  deploy another environment beside this one and move
"""


def _whole_number(value: object) -> object:
    # A Literal of numbers would take true for 1, and 250.0 for 250.
    if isinstance(value, bool | float):
        raise PydanticKnownError("int_type")
    return value


WholeNumber = BeforeValidator(_whole_number)
"""Beside a ``Literal`` of numbers: refuses ``true`` and ``250.0``."""


class Section(BaseModel):
    """A mapping in the environment file."""

    # As a rule the file is validated as a whole: the validator of each section waits until asked for.
    model_config = ConfigDict(
        frozen=True, extra="forbid", serialize_by_alias=True, protected_namespaces=(), defer_build=True
    )


def about(
    description: str,
    *,
    update: UpdatePolicy,
    examples: Sequence[object] = (),
    remedy: str = "",
    **constraints: Any,
) -> Any:
    """Describe a field: what it means, what changing it does, and how to mend a wrong value.

    ``constraints`` are those of ``pydantic.Field`` (``ge``, ``le``, ``pattern``, ``min_length``, ``alias``…).
    ``remedy`` is one sentence in the imperative, shown when the field's own constraints refuse a value.
    """
    extra: dict[str, Any] = {"update_policy": update}
    if remedy:
        extra["remedy"] = remedy
    return Field(
        description=description, examples=list(examples) or None, json_schema_extra=extra, **constraints
    )
