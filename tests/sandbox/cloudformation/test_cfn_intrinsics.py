"""Intrinsic functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.intrinsics import Resolver


class _Scope:
    def ref(self, name: str) -> Any:
        return {"AWS::Region": "us-west-2", "Name": "value", "Zones": "a,b"}[name]

    def attribute(self, logical_id: str, name: str) -> Any:
        return f"{logical_id}/{name}"

    def condition(self, name: str) -> bool:
        return name == "Yes"

    def mapping(self, name: str) -> Mapping[str, Any]:
        return {"one": {"two": f"{name}!"}}

    def imported(self, export_name: str) -> Any:
        return f"import of {export_name}"

    def stack_output(self, stack_name: str, output_name: str, region: str | None) -> Any:
        return f"{stack_name}:{output_name}:{region}"

    def zones(self, region: str) -> list[str]:
        return [f"{region}a"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "Name"}, "value"),
        ({"Fn::GetAtt": ["A", "B.C"]}, "A/B.C"),
        ({"Fn::GetAtt": "A.B"}, "A/B"),
        ({"Fn::Sub": "${Name}-${A.B}-${!Kept}"}, "value-A/B-${Kept}"),
        ({"Fn::Sub": ["${Own}", {"Own": {"Ref": "Name"}}]}, "value"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Name"}, 1, True]]}, "a-value-1-true"),
        ({"Fn::Split": [",", {"Ref": "Zones"}]}, ["a", "b"]),
        ({"Fn::Select": [1, {"Fn::Split": [",", "x,y"]}]}, "y"),
        ({"Fn::FindInMap": ["M", "one", "two"]}, "M!"),
        ({"Fn::FindInMap": ["M", "one", "three", {"DefaultValue": "d"}]}, "d"),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
        ({"Fn::Equals": [1, "1"]}, True),
        ({"Fn::And": [{"Condition": "Yes"}, {"Fn::Not": [{"Condition": "No"}]}]}, True),
        ({"Fn::Or": [{"Condition": "No"}, {"Condition": "No"}]}, False),
        ({"Fn::GetAZs": ""}, ["us-west-2a"]),
        ({"Fn::Base64": {"Ref": "Name"}}, "dmFsdWU="),
        ({"Fn::ImportValue": "e"}, "import of e"),
        ({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o"}}, "s:o:None"),
        ({"Fn::ToJsonString": {"a": {"Ref": "Name"}}}, '{"a":"value"}'),
        ({"Fn::Length": [1, 2]}, 2),
        ({"Fn::Cidr": ["10.0.0.0/16", 2, 8]}, ["10.0.0.0/24", "10.0.1.0/24"]),
        ({"Condition": {"StringEquals": {"a": "b"}}}, {"Condition": {"StringEquals": {"a": "b"}}}),
    ],
)
def test_function_gives_its_value(value: Any, expected: Any) -> None:
    """Each function gives what CloudFormation documents."""
    assert Resolver(_Scope()).resolve(value) == expected


def test_no_value_leaves_its_member_out() -> None:
    """A member or an item that is AWS::NoValue is left out."""
    value = {"A": {"Ref": "AWS::NoValue"}, "B": [{"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]}, 2]}
    assert Resolver(_Scope()).resolve(value) == {"B": [2]}


def test_unknown_function_is_refused() -> None:
    """A function that the sandbox does not know is an error, not passed through."""
    with pytest.raises(ResourceError, match="Fn::Transform"):
        Resolver(_Scope()).resolve({"Fn::Transform": {"Name": "x"}})
