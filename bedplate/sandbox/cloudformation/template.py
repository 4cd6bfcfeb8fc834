"""Reads a template and says in which order its resources must be made."""

from __future__ import annotations

import graphlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from bedplate.sandbox.cloudformation.errors import TemplateError

_SUB_NAME = re.compile(r"\$\{([^!}.]+)[^}]*\}")
SECTIONS = {
    "AWSTemplateFormatVersion",
    "Description",
    "Metadata",
    "Parameters",
    "Rules",
    "Mappings",
    "Conditions",
    "Transform",
    "Resources",
    "Outputs",
    "Hooks",
}
RESOURCE_KEYS = {
    "Type",
    "Properties",
    "DependsOn",
    "Condition",
    "Metadata",
    "DeletionPolicy",
    "UpdateReplacePolicy",
    "CreationPolicy",
    "UpdatePolicy",
}


@dataclass(frozen=True)
class Template:
    """A parsed template; every section is a mapping, empty where the template has none."""

    text: str
    resources: Mapping[str, Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mappings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    description: str | None = None

    def order(self) -> list[str]:
        """Logical ids so that each comes after those that it needs."""
        graph = {logical_id: set(self._needs(logical_id)) for logical_id in self.resources}
        try:
            return list(graphlib.TopologicalSorter(graph).static_order())
        except graphlib.CycleError as error:
            circle = " → ".join(error.args[1])
            raise TemplateError(f"Circular dependency between resources: {circle}") from error

    def _needs(self, logical_id: str) -> Iterator[str]:
        resource = self.resources[logical_id]
        depends_on = resource.get("DependsOn", [])
        for name in [depends_on] if isinstance(depends_on, str) else depends_on:
            if name not in self.resources:
                raise TemplateError(f"{logical_id} depends on {name}, which is not in the template")
            yield name
        for name in references(resource.get("Properties", {})):
            if name in self.resources:
                yield name
            elif name not in self.parameters and not name.startswith("AWS::"):
                raise TemplateError(
                    f"Template error: {logical_id} refers to {name}, which is not in the template"
                )


def references(value: Any) -> Iterator[str]:
    """Every name that a template value refers to by Ref, GetAtt or Sub."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
        return
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if key == "Ref" and len(value) == 1 and isinstance(item, str):
            yield item
        elif key == "Fn::GetAtt":
            yield item.split(".", 1)[0] if isinstance(item, str) else item[0]
        elif key == "Fn::Sub":
            text, given = item if isinstance(item, list) else (item, {})
            yield from (name.strip() for name in _SUB_NAME.findall(text) if name.strip() not in given)
            yield from references(given)
        else:
            yield from references(item)


def parse_template(text: str) -> Template:
    """Parse JSON or YAML; refuses unknown sections and resources without a type."""
    document = _load(text)
    if not isinstance(document, dict) or not document.get("Resources"):
        raise TemplateError("Template format error: At least one Resources member must be defined.")
    unknown = sorted(set(document) - SECTIONS)
    if unknown:
        raise TemplateError(f"Invalid template property or properties {unknown}")
    for logical_id, resource in document["Resources"].items():
        if not isinstance(resource, dict) or "Type" not in resource:
            raise TemplateError(f"Template format error: [/Resources/{logical_id}] has no Type")
        strange = sorted(set(resource) - RESOURCE_KEYS)
        if strange:
            raise TemplateError(f"Invalid template resource property {strange} in {logical_id}")
    return Template(
        text=text,
        resources=document["Resources"],
        parameters=document.get("Parameters") or {},
        mappings=document.get("Mappings") or {},
        conditions=document.get("Conditions") or {},
        outputs=document.get("Outputs") or {},
        rules=document.get("Rules") or {},
        description=document.get("Description"),
    )


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        return yaml.load(text, Loader=_CloudFormationLoader)  # noqa: S506  # derived from SafeLoader
    except yaml.YAMLError as error:
        raise TemplateError(f"Template format error: {error}") from error


class _CloudFormationLoader(yaml.SafeLoader):
    """YAML with CloudFormation's short tags; a date stays the text it is."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # the base class declares it so
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _short_tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    if suffix in {"Ref", "Condition"}:
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


_CloudFormationLoader.add_multi_constructor("!", _short_tag)
