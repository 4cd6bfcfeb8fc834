"""Finds a resource type's player: ours where behaviour matters, moto's where it has one, else the schema."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.sandbox.cloudformation.custom_resource import CustomResourceHandler
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Handler, Made, ResourceRequest
from bedplate.sandbox.cloudformation.moto_handler import MotoHandler, moto_types
from bedplate.sandbox.cloudformation.schema import is_free_type


class _Inert:
    """A type that stands for nothing in the account, such as the CDK's own metadata."""

    def create(self, request: ResourceRequest) -> Made:
        """Nothing to make."""
        return Made(physical_id=request.logical_id)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, object]) -> Made:
        """Nothing to change."""
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Nothing to delete."""


INERT_TYPES = ("AWS::CDK::Metadata", "AWS::CloudFormation::WaitConditionHandle")


class HandlerRegistry:
    """Resource type → handler."""

    def __init__(self, *, ours: Mapping[str, Handler], custom: CustomResourceHandler) -> None:
        self._handlers: dict[str, Handler] = {
            **{name: MotoHandler(name) for name in moto_types()},
            **{name: _Inert() for name in INERT_TYPES},
            **ours,
        }
        self._custom = custom
        self._generic = GenericHandler()

    def handler_of(self, type_name: str) -> Handler:
        """Who plays the type; whether AWS has the type at all is checked before."""
        if type_name not in self._handlers and is_free_type(type_name):
            return self._custom
        return self._handlers.get(type_name, self._generic)
