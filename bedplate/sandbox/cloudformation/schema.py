"""What AWS publishes about each resource type: the schemas that the cfn-lint distribution bundles.

They are read as files; cfn-lint itself is not imported, for that takes seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

NESTED_STACK = "AWS::CloudFormation::Stack"
"""Its outputs are attributes that no schema lists; moto's model of it knows nothing of the stacks here."""
FREE_TYPES = ("Custom::", "AWS::CloudFormation::CustomResource")

# GetAtt on these gives any property, not only the read-only ones (cfn-lint 1.58, schema/_getatts.py).
_ALL_PROPERTIES_ARE_ATTRIBUTES = {
    "AWS::EC2::CapacityReservation",
    "AWS::EC2::Instance",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::EFS::MountTarget",
    "AWS::EKS::Nodegroup",
    "AWS::Events::EventBus",
    "AWS::Grafana::Workspace",
    "AWS::S3::AccessPoint",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::SSM::Parameter",
}

# Patterns that nothing can match, as published, and what is meant: EC2's own model has a second ^ before the
# name of a placement group. Whether CloudFormation holds values against it is unverified; here it does not.
_CORRECTED_PATTERNS = {
    r"^arn:aws([a-z-]+)?:ec2:[a-z\d-]+:\d{12}:placement-group/^.{1,255}$": (
        r"^arn:aws([a-z-]+)?:ec2:[a-z\d-]+:\d{12}:placement-group/.{1,255}$"
    ),
}


class ResourceSchema:
    """One resource type: properties, which of them are read-only or create-only, identifier, attributes."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.type_name: str = document["typeName"]

    @cached_property
    def properties(self) -> Mapping[str, Any]:
        """Property name → its JSON schema."""
        found: Mapping[str, Any] = self.document.get("properties", {})
        return found

    @cached_property
    def read_only(self) -> frozenset[str]:
        """Dotted paths of the properties that only AWS sets."""
        return self._paths("readOnlyProperties")

    @cached_property
    def create_only(self) -> frozenset[str]:
        """Dotted paths of the properties whose change means a replacement."""
        return self._paths("createOnlyProperties")

    @cached_property
    def identifier(self) -> tuple[str, ...]:
        """Dotted paths of the properties that make up what ``Ref`` returns."""
        return tuple(_dotted(pointer) for pointer in self.document.get("primaryIdentifier", []))

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Names that ``Fn::GetAtt`` accepts."""
        if self.type_name in _ALL_PROPERTIES_ARE_ATTRIBUTES:
            return frozenset(self.properties) | self.read_only
        return self.read_only

    def attribute_schema(self, name: str) -> Mapping[str, Any]:
        """The JSON schema of an attribute, references resolved; empty where the schema does not say."""
        node: Mapping[str, Any] = self.document
        for part in name.split("."):
            node = self._resolved(node).get("properties", {}).get(part, {})
        return self._resolved(node)

    def _resolved(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            target: Any = self.document
            for part in str(node["$ref"]).removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def _paths(self, keyword: str) -> frozenset[str]:
        return frozenset(_dotted(pointer) for pointer in self.document.get(keyword, []))


def _dotted(pointer: str) -> str:
    return pointer.removeprefix("/properties/").replace("/properties/", ".").replace("/", ".")


@lru_cache(maxsize=1)
def _schema_root() -> Path:
    for file in files("cfn-lint") or []:
        if file.name == "us-east-1.json" and file.parent.name == "providers":
            return Path(str(file.locate())).parent.parent
    raise RuntimeError("the cfn-lint distribution holds no resource schemas; install bedplate[sandbox]")


@lru_cache(maxsize=8)
def _index(region: str) -> Mapping[str, str]:
    path = _schema_root() / "providers" / f"{region}.json"
    if not path.exists():
        return {}
    index: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return index


@lru_cache(maxsize=512)
def resource_schema(type_name: str, region: str) -> ResourceSchema | None:
    """The schema of ``type_name`` in ``region``, or None where AWS has no such type there."""
    digest = _index(region).get(type_name)
    if digest is None:
        return None
    path = _schema_root() / "resources" / f"{digest}.json"
    return ResourceSchema(json.loads(path.read_text(encoding="utf-8"), object_hook=_corrected))


def schema_extension(name: str) -> Any:
    """What cfn-lint knows of a type beside its schema, such as ``aws_rds_dbcluster/engine_version``."""
    return json.loads((_schema_root() / "extensions" / f"{name}.json").read_text(encoding="utf-8"))


def _corrected(node: dict[str, Any]) -> dict[str, Any]:
    pattern = node.get("pattern")
    if isinstance(pattern, str) and pattern in _CORRECTED_PATTERNS:
        return {**node, "pattern": _CORRECTED_PATTERNS[pattern]}
    return node


def is_free_type(type_name: str) -> bool:
    """Whether the type is a custom resource, whose properties are nobody's business but its handler's."""
    return type_name.startswith(FREE_TYPES)
