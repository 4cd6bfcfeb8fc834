"""What an AWS API's own model says of a request: members, types, bounds, patterns and lists of values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape

_SIMPLE = {"integer": int, "long": int, "boolean": bool, "string": str, "float": float, "double": float}
_CLASSES = {r"\p{L}": "a-zA-Z", r"\p{N}": "0-9", r"\p{Z}": " "}
"""Classes of Java's patterns that Python has no word for, as far as ASCII goes."""


def violations(service: str, operation: str, request: Any) -> list[str]:
    """``where: what is wrong`` for everything that the model does not allow; empty where it takes it."""
    shape = _session().get_service_model(service).operation_model(operation).input_shape
    return list(_check(request, shape, operation))


@cache
def _session() -> botocore.session.Session:
    return botocore.session.get_session()


def _check(value: Any, shape: Shape, where: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        yield from _structure(value, shape, where)
    elif isinstance(shape, ListShape):
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        yield from _bounds(len(value), shape, where)
        for index, each in enumerate(value):
            yield from _check(each, shape.member, f"{where}[{index}]")
    elif isinstance(shape, MapShape):
        for key, each in value.items():
            yield from _check(each, shape.value, f"{where}.{key}")
    else:
        yield from _simple(value, shape, where)


def _structure(value: Any, shape: StructureShape, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no structure"
        return
    for name in sorted(set(value) - set(shape.members)):
        yield f"{where}: there is no {name}"
    for name in sorted(set(shape.required_members) - set(value)):
        yield f"{where}: {name} is missing"
    for name, each in value.items():
        if name in shape.members:
            yield from _check(each, shape.members[name], f"{where}.{name}")


def _simple(value: Any, shape: Shape, where: str) -> Iterator[str]:
    kind = _SIMPLE.get(shape.type_name)
    if kind is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        yield f"{where}: {value!r} is no {shape.type_name}"
        return
    if isinstance(shape, StringShape):
        if shape.enum and value not in shape.enum:
            yield f"{where}: {value!r} is none of its values"
        pattern = str(shape.metadata.get("pattern", ""))
        for theirs, ours in _CLASSES.items():
            pattern = pattern.replace(theirs, ours)
        if pattern and not re.fullmatch(pattern, value):
            yield f"{where}: {value!r} does not match {pattern}"
        yield from _bounds(len(value), shape, where)
    elif isinstance(value, int):
        yield from _bounds(value, shape, where)


def _bounds(size: int, shape: Shape, where: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if (low is not None and size < low) or (high is not None and size > high):
        yield f"{where}: {size} is outside of {low} to {high}"
