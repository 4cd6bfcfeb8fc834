"""Templates: reading, order, references."""

from __future__ import annotations

import json

import pytest

from bedplate.sandbox.cloudformation.errors import TemplateError
from bedplate.sandbox.cloudformation.template import parse_template, references


def _template(**resources: object) -> str:
    return json.dumps({"Resources": resources})


def test_order_follows_ref_getatt_sub_and_depends_on() -> None:
    """A resource comes after each that it refers to, however it does so."""
    text = _template(
        Ref={"Type": "T", "Properties": {"A": {"Ref": "GetAtt"}}},
        GetAtt={"Type": "T", "Properties": {"A": {"Fn::GetAtt": ["Sub", "Arn"]}}},
        Sub={"Type": "T", "Properties": {"A": {"Fn::Sub": "x-${Depends.Name}-${!Literal}"}}},
        Depends={"Type": "T", "DependsOn": "Last"},
        Last={"Type": "T"},
    )
    assert parse_template(text).order() == ["Last", "Depends", "Sub", "GetAtt", "Ref"]


def test_circle_is_refused() -> None:
    """Two resources that need each other are refused, with their names."""
    text = _template(
        A={"Type": "T", "Properties": {"X": {"Ref": "B"}}}, B={"Type": "T", "Properties": {"X": {"Ref": "A"}}}
    )
    with pytest.raises(TemplateError, match=r"Circular dependency.*A"):
        parse_template(text).order()


def test_reference_to_nothing_is_refused() -> None:
    """A reference to a name that the template does not have is refused."""
    with pytest.raises(TemplateError, match="refers to Nowhere"):
        parse_template(_template(A={"Type": "T", "Properties": {"X": {"Ref": "Nowhere"}}})).order()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "At least one Resources member"),
        ('{"Resources": {"A": {"Type": "T"}}, "Resorces": {}}', "Resorces"),
        ('{"Resources": {"A": {"Type": "T", "Propertys": {}}}}', "Propertys"),
        ('{"Resources": {"A": {}}}', "has no Type"),
        ("Resources: [", "Template format error"),
    ],
)
def test_broken_template_is_refused(text: str, reason: str) -> None:
    """A template with unknown or missing parts is refused, naming the part."""
    with pytest.raises(TemplateError, match=reason):
        parse_template(text)


def test_yaml_short_tags_become_functions() -> None:
    """Short tags mean the same as the long form, and a date stays text."""
    text = """
    AWSTemplateFormatVersion: 2010-09-09
    Resources:
      A:
        Type: T
        Properties:
          Version: 2012-10-17
          Attribute: !GetAtt B.Nested.Name
          Text: !Sub "${B}-x"
          Choice: !If [Yes, !Ref B, !Ref "AWS::NoValue"]
      B: {Type: T}
    """
    properties = parse_template(text).resources["A"]["Properties"]
    assert properties == {
        "Version": "2012-10-17",
        "Attribute": {"Fn::GetAtt": ["B", "Nested.Name"]},
        "Text": {"Fn::Sub": "${B}-x"},
        "Choice": {"Fn::If": [True, {"Ref": "B"}, {"Ref": "AWS::NoValue"}]},
    }


def test_sub_with_own_values_refers_to_what_they_refer_to() -> None:
    """Names that a Sub brings along are no references; what their values refer to is."""
    value = {"Fn::Sub": ["${Own}-${Other}", {"Own": {"Ref": "Inner"}}]}
    assert list(references(value)) == ["Other", "Inner"]
