"""Refuses, before anything is made, what AWS would refuse in the middle of a deploy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.cloudformation.schema import is_free_type, resource_schema
from bedplate.sandbox.cloudformation.template import Template
from bedplate.sandbox.cloudformation.unknown import without_intrinsics

# moto has a model of its own for it, which knows nothing of the stacks here.
NESTED_STACK = "AWS::CloudFormation::Stack"

# Metadata about the app itself; AWS stores nothing for it.
NO_SCHEMA = ("AWS::CDK::Metadata",)


def template_problems(template: Template, region: str) -> list[str]:
    """Every unknown type and wrong property of a template, values from intrinsic functions left open."""
    problems = []
    for logical_id, resource in template.resources.items():
        kind = resource["Type"]
        if is_free_type(kind) or kind in NO_SCHEMA:
            continue
        if kind == NESTED_STACK:
            problems.append(f"{logical_id}: SBX-021: the sandbox plays no nested stacks ({NESTED_STACK})")
            continue
        schema = resource_schema(kind, region)
        if schema is None:
            problems.append(f"{logical_id}: Unrecognized resource type {kind} in {region}")
            continue
        properties = without_intrinsics(resource.get("Properties") or {})
        if isinstance(properties, dict):
            problems += [f"{logical_id} ({kind}): {text}" for text in property_problems(schema, properties)]
    return problems


def checked_properties(request: ResourceRequest) -> None:
    """Hold resolved properties against the schema; raises ResourceError with every problem."""
    if is_free_type(request.type_name) or request.type_name in NO_SCHEMA:
        return
    schema = resource_schema(request.type_name, request.region)
    if schema is None:
        raise ResourceError(f"Unrecognized resource type {request.type_name} in {request.region}")
    problems = property_problems(schema, request.properties)
    if problems:
        raise ResourceError(
            f"Properties validation failed for resource {request.logical_id}: {'; '.join(problems)}"
        )


def changed_paths(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> set[str]:
    """Dotted paths of the members that differ."""
    return set(_changes(old, new, prefix))


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name in {*old, *new}:
        left, right = old.get(name), new.get(name)
        if left == right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            yield from _changes(left, right, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"
