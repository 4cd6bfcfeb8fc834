"""Refuses, before anything is made, what AWS would refuse in the middle of a deploy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.cloudformation.schema import NESTED_STACK, is_free_type, resource_schema
from bedplate.sandbox.cloudformation.template import Template
from bedplate.sandbox.cloudformation.unknown import without_intrinsics

PARALLELCLUSTER_TEMPLATE = re.compile(
    r"https://(?P<region>[a-z0-9-]+)-aws-parallelcluster\.s3\.(?P=region)\.amazonaws\.com(\.cn)?"
    r"/parallelcluster/(?P<version>\d+\.\d+\.\d+)/templates/custom_resource/cluster\.yaml"
)
"""Where AWS publishes the provider of a version."""
_SUFFIX = {"Ref": "AWS::URLSuffix"}

# Metadata about the app itself; AWS stores nothing for it.
NO_SCHEMA = ("AWS::CDK::Metadata",)


def template_problems(template: Template, region: str) -> list[str]:
    """Every unknown type and wrong property of a template, values from intrinsic functions left open."""
    problems = []
    for logical_id, resource in template.resources.items():
        kind = resource["Type"]
        if is_free_type(kind) or kind in NO_SCHEMA:
            continue
        if kind == NESTED_STACK and not is_played(resource.get("Properties") or {}):
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


def is_played(properties: Mapping[str, Any]) -> bool:
    """Whether a nested stack is the one that is played: ParallelCluster's provider, by its address."""
    url = properties.get("TemplateURL")
    if isinstance(url, dict) and "Fn::Join" in url:
        separator, parts = url["Fn::Join"]
        url = separator.join("amazonaws.com" if part == _SUFFIX else str(part) for part in parts)
    return PARALLELCLUSTER_TEMPLATE.fullmatch(str(url)) is not None


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
