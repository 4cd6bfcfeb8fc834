"""Properties against the published schemas."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.precheck import template_problems
from bedplate.sandbox.cloudformation.schema import ResourceSchema, resource_schema
from bedplate.sandbox.cloudformation.template import parse_template
from bedplate.sandbox.cloudformation.unknown import without_intrinsics


def _schema(name: str) -> ResourceSchema:
    schema = resource_schema(name, "us-west-2")
    assert schema is not None
    return schema


_ASSOCIATION = {
    "FileSystemId": "fs-0123456789abcdef0",
    "FileSystemPath": "/data",
    "DataRepositoryPath": "s3://bucket/prefix",
}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"FileSystemPaht": "/x"}, "FileSystemPaht"),
        ({"S3": {"AutoImportPolicy": {"Events": ["NEW"], "Evnts": []}}}, "Evnts"),
        ({"S3": {"AutoImportPolicy": {"Events": ["BORN"]}}}, "BORN"),
        ({"FileSystemId": "vol-01234567"}, "vol-01234567"),
        ({"AssociationId": "dra-1"}, "read-only"),
        ({"ImportedFileChunkSize": 0}, "below"),
        ({"BatchImportMetaDataOnCreate": "maybe"}, "maybe"),
    ],
)
def test_wrong_property_is_named(change: dict[str, Any], word: str) -> None:
    """A property that AWS would refuse is a problem that names it."""
    problems = property_problems(_schema("AWS::FSx::DataRepositoryAssociation"), {**_ASSOCIATION, **change})
    assert len(problems) == 1
    assert word in problems[0]


def test_missing_required_property_is_named() -> None:
    """A required property that is missing is a problem."""
    problems = property_problems(_schema("AWS::FSx::DataRepositoryAssociation"), {"FileSystemPath": "/data"})
    assert any("FileSystemId" in problem for problem in problems)


def test_right_properties_have_no_problem() -> None:
    """What AWS takes is taken, with scalars spelled as text as CloudFormation allows."""
    properties = {**_ASSOCIATION, "ImportedFileChunkSize": "1024", "BatchImportMetaDataOnCreate": "true"}
    assert property_problems(_schema("AWS::FSx::DataRepositoryAssociation"), properties) == []


def test_nested_object_is_closed_where_the_schema_forgot_to() -> None:
    """An unknown member is found in a definition that does not say additionalProperties false."""
    properties = {
        "Networking": {"SubnetIds": ["subnet-0123456789abcdef0"]},
        "Scheduler": {"Type": "SLURM", "Version": "25.11"},
        "Size": "SMALL",
        "SlurmConfiguration": {"Accounting": {"Mode": "STANDARD", "Purge": 1}},
    }
    problems = property_problems(_schema("AWS::PCS::Cluster"), properties)
    assert len(problems) == 1
    assert "Purge" in problems[0]


def test_values_known_after_deploy_are_left_open() -> None:
    """An intrinsic function stands for any value, but an unknown name beside it is still found."""
    properties = {
        "FileSystemId": {"Ref": "Fs"},
        "FileSystemPath": {"Fn::Sub": "/${X}"},
        "DataRepositoryPath": "s3://b",
    }
    schema = _schema("AWS::FSx::DataRepositoryAssociation")
    assert property_problems(schema, without_intrinsics(properties)) == []
    assert property_problems(schema, without_intrinsics({**properties, "Extra": {"Ref": "Fs"}})) != []


def test_unknown_type_is_a_problem() -> None:
    """A type that AWS does not have in the Region is a problem of the template."""
    template = parse_template('{"Resources": {"A": {"Type": "AWS::PCS::Clustre"}}}')
    assert template_problems(template, "us-west-2") == [
        "A: Unrecognized resource type AWS::PCS::Clustre in us-west-2"
    ]


def test_schema_tells_identifier_attributes_and_create_only() -> None:
    """What drives the generic model is read from the schema."""
    schema = _schema("AWS::PCS::ComputeNodeGroup")
    assert schema.identifier == ("Arn",)
    assert {"Arn", "Id", "Status"} <= schema.attributes
    assert {"Name", "ClusterId", "InstanceConfigs"} <= schema.create_only
