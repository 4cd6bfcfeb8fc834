"""One AWS API call as data, and whether the service's own model allows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import botocore.session
from botocore.model import ServiceModel, Shape


@dataclass(frozen=True)
class ApiCall:
    """``service`` and ``operation`` as botocore names them; ``parameters`` by the API's own names."""

    service: str
    operation: str
    parameters: Mapping[str, Any]

    def problems(self) -> list[str]:
        """Why the service's model would refuse it: names, types, needs, lengths, ranges, patterns, words.

        botocore itself leaves lengths' upper ends, patterns and words to the service.
        """
        model = _model(self.service)
        if self.operation not in model.operation_names:
            return [f"{self.service} has no operation {self.operation}"]
        shape = model.operation_model(self.operation).input_shape
        if shape is None:
            return [f"{self.operation} takes no parameters"] if self.parameters else []
        return list(_problems(shape, self.parameters, self.operation))


@lru_cache(maxsize=8)
def _model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "boolean": (bool,),
    "structure": (dict,),
    "map": (dict,),
    "list": (list, tuple),
}


def _problems(shape: Any, value: Any, where: str) -> Iterator[str]:
    kind = str(shape.type_name)
    right = isinstance(value, _TYPES.get(kind, (object,)))
    if not right or (kind in ("integer", "long") and isinstance(value, bool)):
        yield f"{where} is {value!r}, which is no {kind}"
        return
    yield from _limits(shape, value, where)
    if kind == "structure":
        for name in shape.required_members:
            if name not in value:
                yield f"{where}.{name} is missing"
        for name, member in value.items():
            if name not in shape.members:
                yield f"{where} has no member {name}"
            else:
                yield from _problems(shape.members[name], member, f"{where}.{name}")
    elif kind == "list":
        for index, member in enumerate(value):
            yield from _problems(shape.member, member, f"{where}[{index}]")
    elif kind == "map":
        for name, member in value.items():
            yield from _problems(shape.key, name, f"{where} key")
            yield from _problems(shape.value, member, f"{where}[{name}]")


def _limits(shape: Shape, value: Any, where: str) -> Iterator[str]:
    rules: Mapping[str, Any] = shape.metadata
    size = value if isinstance(value, (int, float)) else len(value)
    if "min" in rules and size < rules["min"]:
        yield f"{where}: {size} is under {rules['min']}"
    if "max" in rules and size > rules["max"]:
        yield f"{where}: {size} is over {rules['max']}"
    if "pattern" in rules and not _matches(rules["pattern"], value):
        yield f"{where}: {value!r} does not match {rules['pattern']}"
    if "enum" in rules and value not in rules["enum"]:
        yield f"{where}: {value!r} is none of {', '.join(rules['enum'])}"


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True  # Java's surrogate ranges, which Python's engine does not read: nothing to hold it to
