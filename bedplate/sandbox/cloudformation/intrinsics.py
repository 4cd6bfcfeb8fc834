"""Resolves intrinsic functions. A function that is not known is an error, never passed through."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from bedplate.sandbox.cloudformation.errors import ResourceError

_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]+)\}")
_NO_VALUE = object()


class Scope(Protocol):
    """Where names in a template get their values."""

    def ref(self, name: str) -> Any:
        """The value of ``Ref: name``."""

    def attribute(self, logical_id: str, name: str) -> Any:
        """The value of ``Fn::GetAtt``."""

    def condition(self, name: str) -> bool:
        """Whether the named condition holds."""

    def mapping(self, name: str) -> Mapping[str, Any]:
        """The named mapping."""

    def imported(self, export_name: str) -> Any:
        """The value of an export."""

    def stack_output(self, stack_name: str, output_name: str, region: str | None) -> Any:
        """The value of another stack's output."""

    def zones(self, region: str) -> list[str]:
        """The Availability Zone names of a Region."""


class Resolver:
    """Turns a template value into the value that AWS would pass to the resource's provider."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._functions: Mapping[str, Callable[[Any], Any]] = {
            "Ref": self._ref,
            "Condition": scope.condition,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::Split": self._split,
            "Fn::Select": self._select,
            "Fn::FindInMap": self._find_in_map,
            "Fn::If": self._if,
            "Fn::Equals": self._equals,
            "Fn::Not": lambda items: not self.truth(items[0]),
            "Fn::And": lambda items: all(self.truth(item) for item in items),
            "Fn::Or": lambda items: any(self.truth(item) for item in items),
            "Fn::GetAZs": lambda region: scope.zones(self.resolve(region) or scope.ref("AWS::Region")),
            "Fn::Base64": lambda value: base64.b64encode(str(self.resolve(value)).encode()).decode(),
            "Fn::ImportValue": lambda value: scope.imported(self.resolve(value)),
            "Fn::GetStackOutput": self._stack_output,
            "Fn::ToJsonString": lambda value: json.dumps(self.resolve(value), separators=(",", ":")),
            "Fn::Length": lambda value: len(self.resolve(value)),
            "Fn::Cidr": self._cidr,
        }

    def resolve(self, value: Any) -> Any:
        """``value`` with every intrinsic function replaced; what is ``AWS::NoValue`` is left out."""
        resolved = self._resolve(value)
        return None if resolved is _NO_VALUE else resolved

    def truth(self, value: Any) -> bool:
        """The value of a condition."""
        resolved = self._resolve(value)
        if isinstance(resolved, bool):
            return resolved
        if str(resolved).lower() in {"true", "false"}:
            return str(resolved).lower() == "true"
        raise ResourceError(f"{value!r} is not a condition")

    def _resolve(self, value: Any) -> Any:
        if isinstance(value, list):
            return [item for item in map(self._resolve, value) if item is not _NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name,) = value
            if name in self._functions and (name != "Condition" or isinstance(value[name], str)):
                return self._functions[name](value[name])
            if name.startswith("Fn::"):
                raise ResourceError(f"{name} is an intrinsic function that the sandbox does not know")
        members = {key: self._resolve(item) for key, item in value.items()}
        return {key: item for key, item in members.items() if item is not _NO_VALUE}

    def _ref(self, name: str) -> Any:
        return _NO_VALUE if name == "AWS::NoValue" else self._scope.ref(name)

    def _get_att(self, argument: Any) -> Any:
        logical_id, name = argument.split(".", 1) if isinstance(argument, str) else argument
        return self._scope.attribute(logical_id, str(self.resolve(name)))

    def _sub(self, argument: Any) -> str:
        text, given = argument if isinstance(argument, list) else (argument, {})
        values = {key: self.resolve(item) for key, item in given.items()}

        def replacement(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return "${" + name + "}"
            name = name.strip()
            if name in values:
                return str(values[name])
            return str(self._get_att(name) if "." in name else self._scope.ref(name))

        return _PLACEHOLDER.sub(replacement, text)

    def _join(self, argument: Any) -> str:
        separator, items = argument
        resolved = self.resolve(items)
        if not isinstance(resolved, list):
            raise ResourceError(f"Fn::Join needs a list, not {resolved!r}")
        return str(separator).join(_text(item) for item in resolved)

    def _split(self, argument: Any) -> list[str]:
        separator, text = argument
        return str(self.resolve(text)).split(separator)

    def _select(self, argument: Any) -> Any:
        index, items = int(self.resolve(argument[0])), self.resolve(argument[1])
        if isinstance(items, str):
            items = items.split(",")
        if not 0 <= index < len(items):
            raise ResourceError(f"Fn::Select asks for item {index} of {len(items)}")
        return items[index]

    def _find_in_map(self, argument: Any) -> Any:
        name, first, second, *rest = argument
        try:
            return self._scope.mapping(self.resolve(name))[self.resolve(first)][self.resolve(second)]
        except KeyError as missing:
            if rest and "DefaultValue" in rest[0]:
                return self.resolve(rest[0]["DefaultValue"])
            raise ResourceError(f"Fn::FindInMap finds no {missing} in mapping {name}") from missing

    def _if(self, argument: Any) -> Any:
        name, then, otherwise = argument
        return self._resolve(then if self._scope.condition(name) else otherwise)

    def _equals(self, argument: Any) -> bool:
        left, right = (self.resolve(item) for item in argument)
        return _text(left) == _text(right)

    def _stack_output(self, argument: Mapping[str, Any]) -> Any:
        if argument.get("RoleArn"):
            raise ResourceError(
                "Fn::GetStackOutput with RoleArn reads another account, which the sandbox does not play"
            )
        region = self.resolve(argument["Region"]) if argument.get("Region") else None
        return self._scope.stack_output(
            self.resolve(argument["StackName"]), self.resolve(argument["OutputName"]), region
        )

    def _cidr(self, argument: Any) -> list[str]:
        block, count, bits = (self.resolve(item) for item in argument)
        subnets = ipaddress.ip_network(block).subnets(new_prefix=32 - int(bits))
        return [str(subnet) for _, subnet in zip(range(int(count)), subnets, strict=False)]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
