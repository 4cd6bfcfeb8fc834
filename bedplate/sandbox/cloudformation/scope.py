"""The names that a template of one stack can use, and their values at this moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ssm.models import ssm_backends

from bedplate.sandbox.cloudformation.errors import ResourceError, TemplateError
from bedplate.sandbox.cloudformation.intrinsics import Resolver
from bedplate.sandbox.cloudformation.schema import NESTED_STACK, is_free_type, resource_schema
from bedplate.sandbox.cloudformation.stack import Stack
from bedplate.sandbox.cloudformation.template import Template

FindStack = Callable[[str, str, str], Stack | None]
FindExport = Callable[[str, str, str], Any]


class StackScope:
    """Resolves names against a stack's template, its parameters and the resources that exist."""

    def __init__(
        self,
        *,
        stack: Stack,
        template: Template,
        parameters: Mapping[str, Any],
        find_stack: FindStack,
        find_export: FindExport,
    ) -> None:
        self._stack = stack
        self._template = template
        self._find_stack = find_stack
        self._find_export = find_export
        self.resolver = Resolver(self)
        self.parameters = self._parameter_values(parameters)

    def ref(self, name: str) -> Any:
        """A pseudo parameter, a parameter, or a resource's physical id."""
        stack = self._stack
        pseudo: Mapping[str, Any] = {
            "AWS::AccountId": stack.account,
            "AWS::Region": stack.region,
            "AWS::StackId": stack.stack_id,
            "AWS::StackName": stack.name,
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::Partition": "aws",
            "AWS::NotificationARNs": [],
        }
        if name in pseudo:
            return pseudo[name]
        if name in self.parameters:
            return self.parameters[name]
        resource = stack.resources.get(name)
        if resource is None:
            raise ResourceError(f"Ref to {name}, which does not exist")
        return resource.made.physical_id

    def attribute(self, logical_id: str, name: str) -> Any:
        """An attribute that AWS documents for the type and that the sandbox can give."""
        resource = self._stack.resources.get(logical_id)
        if resource is None:
            raise ResourceError(f"Fn::GetAtt refers to {logical_id}, which does not exist")
        kind = resource.request.type_name
        schema = resource_schema(kind, self._stack.region)
        output = kind == NESTED_STACK and name.startswith("Outputs.")
        if schema is not None and not (output or is_free_type(kind)) and name not in schema.attributes:
            raise ResourceError(f"Requested attribute {name} does not exist in schema for {kind}")
        try:
            return resource.made.attribute(name)
        except KeyError as error:
            raise ResourceError(f"{logical_id} ({kind}) gave no attribute {name}") from error

    def condition(self, name: str) -> bool:
        """The value of a named condition."""
        if name not in self._template.conditions:
            raise ResourceError(f"condition {name} is not in the template")
        return self.resolver.truth(self._template.conditions[name])

    def mapping(self, name: str) -> Mapping[str, Any]:
        """A named mapping of the template."""
        if name not in self._template.mappings:
            raise ResourceError(f"mapping {name} is not in the template")
        found: Mapping[str, Any] = self._template.mappings[name]
        return found

    def imported(self, export_name: str) -> Any:
        """The value of an export of the same account and Region."""
        return self._find_export(self._stack.account, self._stack.region, export_name)

    def stack_output(self, stack_name: str, output_name: str, region: str | None) -> Any:
        """The output of another stack (``Fn::GetStackOutput``); one that is not there is a failure."""
        region = region or self._stack.region
        stack = self._find_stack(self._stack.account, region, stack_name)
        if stack is None or not stack.exists:
            raise ResourceError(f"Fn::GetStackOutput: stack {stack_name} does not exist in {region}")
        if output_name not in stack.outputs:
            raise ResourceError(f"Fn::GetStackOutput: stack {stack_name} has no output {output_name}")
        return stack.outputs[output_name]

    def zones(self, region: str) -> list[str]:
        """Zone names of a Region, as EC2 lists them."""
        return [zone.name for zone in ec2_backends[self._stack.account][region].describe_availability_zones()]

    def wanted(self, logical_id: str) -> bool:
        """Whether the resource's condition holds."""
        condition = self._template.resources[logical_id].get("Condition")
        return condition is None or self.condition(condition)

    def outputs(self) -> dict[str, Any]:
        """The values of the template's outputs whose conditions hold."""
        return {
            name: _output_text(name, self.resolver.resolve(output.get("Value")))
            for name, output in self._template.outputs.items()
            if "Condition" not in output or self.condition(output["Condition"])
        }

    def export_names(self) -> dict[str, str]:
        """Output name → name of its export."""
        return {
            name: str(self.resolver.resolve(output["Export"]["Name"]))
            for name, output in self._template.outputs.items()
            if output.get("Export") and ("Condition" not in output or self.condition(output["Condition"]))
        }

    def _parameter_values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(given) - set(self._template.parameters))
        if unknown:
            raise TemplateError(f"Parameters: {unknown} do not exist in the template")
        values: dict[str, Any] = {}
        for name, declared in self._template.parameters.items():
            if name not in given and "Default" not in declared:
                raise TemplateError(f"Parameters: [{name}] must have values")
            values[name] = self._typed(name, declared, given.get(name, declared.get("Default")))
        return values

    def _typed(self, name: str, declared: Mapping[str, Any], value: Any) -> Any:
        kind = declared.get("Type", "String")
        allowed = [str(item) for item in declared.get("AllowedValues", [])]
        if allowed and str(value) not in allowed:
            raise TemplateError(f"Parameter {name} must be one of {allowed}, not {value!r}")
        if kind.startswith("AWS::SSM::Parameter::Value"):
            found = ssm_backends[self._stack.account][self._stack.region].get_parameter(str(value))
            if found is None:
                raise TemplateError(
                    f"Unable to fetch parameters [{value}] from parameter store for this account."
                )
            value, kind = found.value, kind.removeprefix("AWS::SSM::Parameter::Value<").removesuffix(">")
        if kind.startswith("List<") or kind == "CommaDelimitedList":
            return [item.strip() for item in str(value).split(",")]
        return value


def _output_text(name: str, value: Any) -> str:
    if isinstance(value, list | dict) or value is None:
        raise ResourceError(f"Template format error: Output {name} must be a string, not {value!r}")
    return str(value).lower() if isinstance(value, bool) else str(value)
