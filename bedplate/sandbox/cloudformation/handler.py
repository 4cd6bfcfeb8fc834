"""What the engine asks of whoever plays a resource type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class ResourceRequest:
    """One resource that a stack wants: its type and its properties, intrinsic functions resolved."""

    account: str
    region: str
    stack_id: str
    stack_name: str
    logical_id: str
    type_name: str
    properties: Mapping[str, Any]
    tags: Mapping[str, str] = field(default_factory=dict)

    def arn(self, service: str, resource: str, *, regional: bool = True) -> str:
        """The ARN of something in the caller's account."""
        region = self.region if regional else ""
        return f"arn:aws:{service}:{region}:{self.account}:{resource}"

    def all_tags(self) -> dict[str, str]:
        """The stack's tags, those that CloudFormation adds, and the resource's own, which win."""
        own = self.properties.get("Tags") or {}
        if isinstance(own, list):
            own = {tag["Key"]: str(tag.get("Value", "")) for tag in own}
        return {
            **self.tags,
            "aws:cloudformation:stack-name": self.stack_name,
            "aws:cloudformation:stack-id": self.stack_id,
            "aws:cloudformation:logical-id": self.logical_id,
            **own,
        }


def _no_attribute(name: str) -> Any:
    raise KeyError(name)


@dataclass(frozen=True)
class Made:
    """A resource that exists: what ``Ref`` gives, what ``GetAtt`` gives (or KeyError), its player's state."""

    physical_id: str
    attribute: Callable[[str], Any] = _no_attribute
    state: Any = None


class Handler(Protocol):
    """Plays one resource type. Each method may raise ResourceError, ``update`` also NeedsReplacement."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the resource."""

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Change the resource in place from the properties ``old``."""

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete the resource; one that is gone already is no error."""
