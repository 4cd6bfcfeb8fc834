"""Holds a resource's properties against the schema of its type.

AWS refuses what the schema does not know, and so does the sandbox: an unknown property anywhere, a missing
required one, a read-only one, a value outside its enumeration, pattern or range.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex
from jsonschema import Draft7Validator, TypeChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from bedplate.sandbox.cloudformation.schema import ResourceSchema
from bedplate.sandbox.cloudformation.unknown import Unknown

_COMPOSITIONS = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


def property_problems(schema: ResourceSchema, properties: Mapping[str, Any]) -> list[str]:
    """What is wrong with ``properties``, one sentence each; empty where AWS would take them."""
    read_only = [
        f"{name}: is read-only, AWS sets it"
        for name in sorted(schema.read_only)
        if name in properties and name not in schema.create_only
    ]
    return read_only + [_sentence(error) for error in _validator(schema).iter_errors(dict(properties))]


def _sentence(error: ValidationError) -> str:
    if error.validator in {"anyOf", "oneOf"} and error.context:
        error = best_match(error.context) or error
    where = "/".join(str(part) for part in error.absolute_path) or "properties"
    return f"{where}: {error.message[:300]}"


@lru_cache(maxsize=256)
def _validator(schema: ResourceSchema) -> Any:
    document = copy.deepcopy(
        {
            key: value
            for key, value in schema.document.items()
            if key
            in {
                "properties",
                "definitions",
                "required",
                "patternProperties",
                "additionalProperties",
                *_COMPOSITIONS,
            }
        }
    )
    document["type"] = "object"
    _close(document)
    for definition in document.get("definitions", {}).values():
        _close(definition)
    return _VALIDATOR(_with_python_patterns(document))


_UNICODE_CLASSES = {r"\p{L}": r"\w", r"\p{Z}": r"\s", r"\p{N}": r"\d"}


def _with_python_patterns(node: Any) -> Any:
    """A copy whose ``patternProperties`` use classes that Python's ``re`` knows, as jsonschema needs them."""
    if isinstance(node, list):
        return [_with_python_patterns(item) for item in node]
    if not isinstance(node, dict):
        return node
    copied = {key: _with_python_patterns(item) for key, item in node.items()}
    patterns = copied.get("patternProperties")
    if isinstance(patterns, dict):
        copied["patternProperties"] = {_python_pattern(key): item for key, item in patterns.items()}
    return copied


def _python_pattern(pattern: str) -> str:
    for java, python in _UNICODE_CLASSES.items():
        pattern = pattern.replace(java, python)
    return pattern


def _close(node: Any) -> None:
    """Refuse unknown members of an object whose members the schema lists, where it forgot to say so."""
    if not isinstance(node, dict):
        return
    composed = any(keyword in node for keyword in _COMPOSITIONS)
    if node.get("properties") and "patternProperties" not in node and not composed:
        node.setdefault("additionalProperties", False)
    for child in node.get("properties", {}).values():
        _close(child)
    _close(node.get("items"))


def _string(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _integer(_: TypeChecker, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdigit())


def _number(_: TypeChecker, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return regex.fullmatch(r"-?\d+(\.\d+)?", value) is not None
    return isinstance(value, int | float)


def _boolean(_: TypeChecker, value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.lower() in {"true", "false"})


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not regex.search(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _enumeration(validator: Any, allowed: list[Any], value: Any, schema: Any) -> Iterator[ValidationError]:
    # CloudFormation turns scalars into strings and back, so that "2" equals 2 and "true" equals true.
    if _spelled(value) not in {_spelled(item) for item in allowed}:
        yield ValidationError(f"{value!r} is not one of {allowed!r}")


def _limit(holds: Callable[[float, float], bool], word: str) -> Callable[..., Iterator[ValidationError]]:
    def rule(validator: Any, bound: float, value: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, bool | dict | list) or not _number(None, value):  # type: ignore[arg-type]
            return
        if not holds(float(value), bound):
            yield ValidationError(f"{value!r} is {word} {bound}")

    return rule


def _text_length(holds: Callable[[int, int], bool], word: str) -> Callable[..., Iterator[ValidationError]]:
    def rule(validator: Any, bound: int, value: Any, schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not holds(len(value), bound):
            yield ValidationError(f"{value!r} is {word} than {bound} characters")

    return rule


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tolerant(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, silent on values that are known only after the deploy."""

    def checked(validator: Any, argument: Any, value: Any, schema: Any) -> Any:
        return () if isinstance(value, Unknown) else rule(validator, argument, value, schema) or ()

    return checked


_RULES: dict[str, Callable[..., Any]] = {
    **Draft7Validator.VALIDATORS,
    "pattern": _pattern,
    "enum": _enumeration,
    "minimum": _limit(lambda value, bound: value >= bound, "below"),
    "maximum": _limit(lambda value, bound: value <= bound, "above"),
    "minLength": _text_length(lambda length, bound: length >= bound, "shorter"),
    "maxLength": _text_length(lambda length, bound: length <= bound, "longer"),
}
_RULES.pop("format", None)
_VALIDATOR = extend(  # type: ignore[no-untyped-call]  # jsonschema leaves it untyped
    Draft7Validator,
    validators={name: _tolerant(rule) for name, rule in _RULES.items()},
    type_checker=Draft7Validator.TYPE_CHECKER.redefine_many(
        {"string": _string, "integer": _integer, "number": _number, "boolean": _boolean}
    ),
)
