"""Plays every resource type that nothing else plays, by its published schema alone.

Identifiers and attributes are made from their names and JSON types; what a resource *does* is not played.
Types whose behaviour matters have a handler of their own that builds on this one.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.cloudformation.schema import ResourceSchema, resource_schema


def random_id(prefix: str, *, digits: int = 17) -> str:
    """An identifier in AWS's style, such as ``fs-0123456789abcdef0``."""
    return f"{prefix}-{uuid.uuid4().hex[:digits]}"


def generated_name(request: ResourceRequest, *, longest: int = 63) -> str:
    """A name such as CloudFormation makes for a resource that was given none."""
    suffix = uuid.uuid4().hex[:12].upper()
    return f"{request.stack_name}-{request.logical_id}"[: longest - 13] + f"-{suffix}"


class GenericHandler:
    """A resource that remembers what it was given and has the attributes that its schema lists."""

    def create(self, request: ResourceRequest) -> Made:
        """Make up the identifiers; ``prepare`` and ``attributes`` are what subclasses fill in."""
        schema = _schema(request)
        values = self._values(request, schema)
        values.update(self.attributes(request, values))
        return self._made(request, schema, values)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over the new properties; identifiers stay."""
        schema = _schema(request)
        values = {name: made.state[name] for name in schema.read_only if name in made.state}
        values.update(self.attributes(request, values))
        return self._made(request, schema, values)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Forget the resource."""

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Attributes that are more than made-up values; overridden by types whose behaviour matters."""
        return {}

    def _values(self, request: ResourceRequest, schema: ResourceSchema) -> dict[str, Any]:
        unique = uuid.uuid4().hex[:10]
        values: dict[str, Any] = {}
        for name in sorted(schema.read_only):
            values[name] = _made_up(request, schema, name, unique)
        for name in schema.identifier:
            if name not in request.properties and name not in values:
                values[name] = generated_name(request)
        return values

    def _made(self, request: ResourceRequest, schema: ResourceSchema, values: Mapping[str, Any]) -> Made:
        known = {**request.properties, **values}
        identifier = [str(known[name]) for name in schema.identifier if name in known]
        if not identifier:
            raise ResourceError(f"{request.type_name} has no identifier in its schema")
        return Made(physical_id="|".join(identifier), attribute=known.__getitem__, state=known)


def _schema(request: ResourceRequest) -> ResourceSchema:
    schema = resource_schema(request.type_name, request.region)
    if schema is None:
        raise ResourceError(f"{request.type_name} does not exist in {request.region}")
    return schema


def _made_up(request: ResourceRequest, schema: ResourceSchema, name: str, unique: str) -> Any:
    kind = schema.attribute_schema(name).get("type", "string")
    if isinstance(kind, list):
        kind = kind[0]
    simple: Mapping[str, Any] = {"integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
    if kind in simple:
        return simple[kind]
    _, service, short = request.type_name.split("::")
    word = re.sub(r"(?<!^)(?=[A-Z])", "-", short).lower()
    leaf = name.rsplit(".", 1)[-1]
    if leaf.lower().endswith("arn"):
        return request.arn(service.lower(), f"{word}/{unique}")
    if leaf.lower().endswith("id"):
        return f"{word}-{unique}"
    return f"{word}-{leaf.lower()}-{unique}"
