"""Plays the resource types for which moto has a CloudFormation model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from moto.cloudformation import parsing
from moto.cloudformation.exceptions import UnformattedGetAttTemplateException
from moto.core.exceptions import ServiceException
from moto.ec2.models import ec2_backends
from moto.ec2.models.core import TaggedEC2Resource
from werkzeug.exceptions import HTTPException

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.sandbox.resources.moto_attributes import MISSING_ATTRIBUTES
from bedplate.sandbox.resources.moto_deletes import DELETES
from bedplate.sandbox.resources.moto_properties import PROPERTIES_FOR_MOTO
from bedplate.sandbox.resources.moto_updates import UPDATES


def moto_types() -> frozenset[str]:
    """The resource types that moto can create."""
    return frozenset(name for name in parsing.get_model_map() if name.count("::") == 2) - {
        "AWS::SERVICE::RESOURCE"
    }


class MotoHandler:
    """Hands one resource type to moto's model, and mends what the model does not do."""

    def __init__(self, type_name: str) -> None:
        self._type_name = type_name
        self._model = parsing.get_model_map()[type_name]

    def create(self, request: ResourceRequest) -> Made:
        """Create by moto's model, then put the tags on that it forgets."""
        resource = _asking_moto(
            lambda: self._model.create_from_cloudformation_json(
                self._name(request),
                self._document(request),
                request.account,
                request.region,
                LogicalId=request.logical_id,
                StackId=request.stack_id,
                ResourceType=request.type_name,
            )
        )
        return self._made(request, resource)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Update by our own rule or moto's model; what neither can change is refused, not dropped."""
        changed = {
            name for name in {*old, *request.properties} if old.get(name) != request.properties.get(name)
        }
        if changed <= {"Tags"} and isinstance(made.state, TaggedEC2Resource):
            return self._made(request, made.state)
        rule = UPDATES.get(self._type_name)
        if rule is not None and _asking_moto(lambda: rule(request, made.state, changed)):
            return self._made(request, made.state)
        if hasattr(self._model.update_from_cloudformation_json, "__isabstractmethod__"):
            raise ResourceError(
                f"SBX-012: cannot change {', '.join(sorted(changed))} of {self._type_name} in place"
            )
        resource = _asking_moto(
            lambda: self._model.update_from_cloudformation_json(
                original_resource=made.state,
                new_resource_name=self._name(request, made.physical_id),
                cloudformation_json=self._document(request),
                account_id=request.account,
                region_name=request.region,
            )
        )
        return self._made(request, resource)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete by our own rule or by moto's model."""
        rule = DELETES.get(self._type_name)
        if rule is not None:
            _asking_moto(lambda: rule(request, made.state))
        elif hasattr(made.state, "delete"):
            _asking_moto(lambda: made.state.delete(request.account, request.region))
        elif not hasattr(self._model.delete_from_cloudformation_json, "__isabstractmethod__"):
            _asking_moto(
                lambda: self._model.delete_from_cloudformation_json(
                    made.physical_id, self._document(request), request.account, request.region
                )
            )
        else:
            raise ResourceError(f"SBX-013: the sandbox cannot delete {self._type_name}")

    def _name(self, request: ResourceRequest, default: str = "") -> str:
        name_property = parsing.resource_name_property_from_type(self._type_name)
        if name_property and name_property in request.properties:
            return str(request.properties[name_property])
        return default or parsing.generate_resource_name(
            self._type_name, request.stack_name, request.logical_id
        )

    def _document(self, request: ResourceRequest) -> dict[str, Any]:
        properties = copy.deepcopy(dict(request.properties))
        shape = PROPERTIES_FOR_MOTO.get(self._type_name)
        shaped = shape(properties, request) if shape else properties
        return {"Type": self._type_name, "Properties": shaped}

    def _made(self, request: ResourceRequest, resource: Any) -> Made:
        if isinstance(resource, TaggedEC2Resource):
            backend = ec2_backends[request.account][request.region]
            backend.create_tags([str(getattr(resource, "physical_resource_id"))], request.all_tags())  # noqa: B009
        physical_id = getattr(resource, "physical_resource_id", None)
        if not physical_id:
            physical_id = f"{request.stack_name}-{request.logical_id}"
        return Made(
            physical_id=str(physical_id), attribute=self._attributes(request, resource), state=resource
        )

    def _attributes(self, request: ResourceRequest, resource: Any) -> Callable[[str], Any]:
        def attribute(name: str) -> Any:
            ours = MISSING_ATTRIBUTES.get((self._type_name, name))
            if ours is not None:
                return ours(request, resource)
            try:
                return resource.get_cfn_attribute(name)
            except (UnformattedGetAttTemplateException, NotImplementedError, AttributeError) as error:
                if name in request.properties:
                    return request.properties[name]
                if _is_whole_identifier(request, name):
                    return str(resource.physical_resource_id)
                raise KeyError(name) from error

        return attribute


def _is_whole_identifier(request: ResourceRequest, name: str) -> bool:
    """Whether the attribute is the one that makes up what ``Ref`` gives."""
    schema = resource_schema(request.type_name, request.region)
    return schema is not None and schema.identifier == (name,)


def _asking_moto(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except HTTPException as error:
        raise ResourceError(str(getattr(error, "message", "") or error.description)) from error
    except ServiceException as error:
        raise ResourceError(str(error)) from error
    except KeyError as error:
        raise ResourceError(f"moto finds no {error}") from error
