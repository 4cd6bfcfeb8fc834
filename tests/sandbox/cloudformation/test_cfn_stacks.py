"""Stacks through the API: create, roll back, update, replace, delete."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.sandbox.stand_in import StandIn, outputs

BUCKET = {"Type": "AWS::S3::Bucket"}
# A type that neither moto nor the sandbox plays by hand: the generic model does.
GENERIC = {"Type": "AWS::SES::ConfigurationSet", "Properties": {"Name": "one"}}


def _parameter(value: Any, **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value, **more}}


def test_outputs_hold_refs_and_attributes(stand_in: StandIn) -> None:
    """Ref and GetAtt of a deployed resource reach the outputs."""
    stack = stand_in.create(
        {"B": BUCKET},
        Outputs={"Name": {"Value": {"Ref": "B"}}, "Arn": {"Value": {"Fn::GetAtt": ["B", "Arn"]}}},
    )
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert outputs(stack)["Arn"] == f"arn:aws:s3:::{outputs(stack)['Name']}"


def test_generic_type_has_identifier_and_attributes(stand_in: StandIn) -> None:
    """A type that nobody plays by hand gets its identifier as Ref and its schema's attributes."""
    stack = stand_in.create(
        {"E": {"Type": "AWS::APS::Scraper", "Properties": _SCRAPER}},
        Outputs={"Id": {"Value": {"Fn::GetAtt": ["E", "ScraperId"]}}, "Arn": {"Value": {"Ref": "E"}}},
    )
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert outputs(stack)["Arn"].startswith("arn:aws:aps:us-west-2:123456789012:")
    assert outputs(stack)["Id"]


def test_a_nested_stack_is_refused_before_anything_is_made(stand_in: StandIn) -> None:
    """moto's own model of it would make a stack that nothing here knows of."""
    nested = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "https://s3/b/t.json"}}
    stack = stand_in.create({"Inner": nested, "B": BUCKET})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = stand_in.reasons(stack["StackName"])
    assert "SBX-021: the sandbox plays no nested stacks" in reasons
    assert "SBX-011" not in reasons
    made = stand_in.client("cloudformation").describe_stack_events(StackName=stack["StackName"])
    assert "AWS::S3::Bucket" not in {event["ResourceType"] for event in made["StackEvents"]}


_SCRAPER = {
    "ScrapeConfiguration": {"ConfigurationBlob": "Z2xvYmFs"},
    "Destination": {
        "AmpConfiguration": {"WorkspaceArn": "arn:aws:aps:us-west-2:123456789012:workspace/ws-1"}
    },
    "Source": {
        "EksConfiguration": {
            "ClusterArn": "arn:aws:eks:us-west-2:123456789012:cluster/c",
            "SubnetIds": ["subnet-0123456789abcdef0"],
        }
    },
}


@pytest.mark.parametrize(
    ("resource", "word"),
    [
        ({"Type": "AWS::PCS::Clustre"}, "Unrecognized resource type AWS::PCS::Clustre"),
        ({"Type": "AWS::S3::Bucket", "Properties": {"BuketName": "x"}}, "BuketName"),
        ({"Type": "AWS::FSx::DataRepositoryAssociation", "Properties": {}}, "FileSystemId"),
    ],
)
def test_refused_resource_fails_the_stack_before_anything_is_made(
    stand_in: StandIn, resource: dict[str, Any], word: str
) -> None:
    """An unknown type, an unknown property or a missing one fails the stack, and nothing else is made."""
    stack = stand_in.create({"Bad": resource, "Good": _parameter("x", Name="/never/made")})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])
    with pytest.raises(ClientError, match="ParameterNotFound"):
        stand_in.client("ssm").get_parameter(Name="/never/made")


def test_failure_rolls_back_what_was_made(stand_in: StandIn) -> None:
    """A resource that fails takes those before it away again."""
    stack = stand_in.create(
        {
            "First": _parameter("x", Name="/rolled/back"),
            "Second": {
                **_parameter({"Fn::GetStackOutput": {"StackName": "no", "OutputName": "x"}}),
                "DependsOn": "First",
            },
        }
    )
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "stack no does not exist" in stand_in.reasons(stack["StackName"])
    with pytest.raises(ClientError, match="ParameterNotFound"):
        stand_in.client("ssm").get_parameter(Name="/rolled/back")


def test_unknown_attribute_fails_the_stack(stand_in: StandIn) -> None:
    """GetAtt of what the type does not have fails."""
    stack = stand_in.create({"B": BUCKET}, Outputs={"X": {"Value": {"Fn::GetAtt": ["B", "Colour"]}}})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Requested attribute Colour does not exist" in stand_in.reasons(stack["StackName"])


def test_get_stack_output_reads_another_stack(stand_in: StandIn) -> None:
    """A weak reference gives the other stack's output; an output that is not there fails."""
    stand_in.create({"B": BUCKET}, name="t-producer", Outputs={"Name": {"Value": {"Ref": "B"}}})
    value = {"Fn::GetStackOutput": {"StackName": "t-producer", "OutputName": "Name"}}
    stack = stand_in.create({"P": _parameter(value, Name="/weak/reference")})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    found = stand_in.client("ssm").get_parameter(Name="/weak/reference")["Parameter"]["Value"]
    assert found == outputs(stand_in.stack("t-producer"))["Name"]
    value = {"Fn::GetStackOutput": {"StackName": "t-producer", "OutputName": "Nome"}}
    assert stand_in.create({"P": _parameter(value)})["StackStatus"] == "ROLLBACK_COMPLETE"


def test_update_in_place_reaches_dependents(stand_in: StandIn) -> None:
    """A changed value is updated in place, and whoever refers to it follows."""

    def resources(value: str) -> dict[str, Any]:
        return {
            "A": _parameter(value, Name="/upd/a"),
            "B": _parameter({"Fn::GetAtt": ["A", "Value"]}, Name="/upd/b"),
        }

    stack = stand_in.create(resources("one"))
    updated = stand_in.update(stack["StackName"], resources("two"))
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    assert stand_in.client("ssm").get_parameter(Name="/upd/b")["Parameter"]["Value"] == "two"


def test_create_only_change_replaces(stand_in: StandIn) -> None:
    """A change of a create-only property makes a new resource and deletes the old one."""

    def resources(path: str) -> dict[str, Any]:
        return {"R": {"Type": "AWS::SES::ConfigurationSet", "Properties": {"Name": path}}}

    stack = stand_in.create(resources("one"))
    stand_in.update(stack["StackName"], resources("two"))
    assert stand_in.physical_id(stack["StackName"], "R") == "two"
    events = stand_in.client("cloudformation").describe_stack_events(StackName=stack["StackName"])[
        "StackEvents"
    ]
    deleted = [
        event["PhysicalResourceId"] for event in events if event["ResourceStatus"] == "DELETE_COMPLETE"
    ]
    assert deleted == ["one"]


def test_failed_update_rolls_back(stand_in: StandIn) -> None:
    """After a failed update the stack is as before."""
    stack = stand_in.create({"A": _parameter("one", Name="/urb/a")})
    bad = _parameter({"Fn::GetStackOutput": {"StackName": "no", "OutputName": "x"}})
    updated = stand_in.update(
        stack["StackName"], {"A": _parameter("two", Name="/urb/a"), "B": {**bad, "DependsOn": "A"}}
    )
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stand_in.client("ssm").get_parameter(Name="/urb/a")["Parameter"]["Value"] == "one"
    template = stand_in.client("cloudformation").get_template(StackName=stack["StackName"])["TemplateBody"]
    assert "B" not in template["Resources"]


def test_update_without_change_is_refused(stand_in: StandIn) -> None:
    """The API says that there is nothing to do, as AWS does."""
    stack = stand_in.create({"A": _parameter("one")})
    with pytest.raises(ClientError, match="No updates are to be performed"):
        stand_in.update(stack["StackName"], {"A": _parameter("one")})


def test_delete_keeps_what_is_retained(stand_in: StandIn) -> None:
    """A resource with DeletionPolicy Retain outlives its stack; the others do not."""
    stack = stand_in.create(
        {"Kept": {**BUCKET, "DeletionPolicy": "Retain"}, "Gone": _parameter("x", Name="/gone")},
        Outputs={"Name": {"Value": {"Ref": "Kept"}}},
    )
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    names = [bucket["Name"] for bucket in stand_in.client("s3").list_buckets()["Buckets"]]
    assert outputs(stack)["Name"] in names
    with pytest.raises(ClientError, match="ParameterNotFound"):
        stand_in.client("ssm").get_parameter(Name="/gone")


def test_bucket_with_objects_cannot_be_deleted(stand_in: StandIn) -> None:
    """A delete that AWS refuses fails the stack's deletion."""
    stack = stand_in.create({"B": BUCKET}, Outputs={"Name": {"Value": {"Ref": "B"}}})
    stand_in.client("s3").put_object(Bucket=outputs(stack)["Name"], Key="k", Body=b"x")
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "not empty" in stand_in.reasons(stack["StackName"])


def test_protected_stack_cannot_be_deleted(stand_in: StandIn) -> None:
    """Termination protection holds until it is switched off."""
    stack = stand_in.create({"A": _parameter("x")}, options={"EnableTerminationProtection": True})
    with pytest.raises(ClientError, match="TerminationProtection is enabled"):
        stand_in.delete(stack)
    stand_in.client("cloudformation").update_termination_protection(
        StackName=stack["StackName"], EnableTerminationProtection=False
    )
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_change_set_tells_and_makes_changes(stand_in: StandIn) -> None:
    """A change set lists what it would do, then does it; without changes it fails with AWS's words."""
    api = stand_in.client("cloudformation")
    stack = stand_in.create({"A": GENERIC, "Old": _parameter("x")}, name="t-change-set")
    body = json.dumps(
        {"Resources": {"A": {**GENERIC, "Properties": {"Name": "two"}}, "New": _parameter("y")}}
    )
    api.create_change_set(
        StackName=stack["StackName"], ChangeSetName="c", TemplateBody=body, ChangeSetType="UPDATE"
    )
    told = api.describe_change_set(StackName=stack["StackName"], ChangeSetName="c")
    changes = {
        change["ResourceChange"]["LogicalResourceId"]: (
            change["ResourceChange"]["Action"],
            change["ResourceChange"].get("Replacement"),
        )
        for change in told["Changes"]
    }
    assert changes == {"A": ("Modify", "True"), "New": ("Add", None), "Old": ("Remove", None)}
    api.execute_change_set(StackName=stack["StackName"], ChangeSetName="c")
    assert stand_in.stack(stack["StackName"])["StackStatus"] == "UPDATE_COMPLETE"
    api.create_change_set(
        StackName=stack["StackName"], ChangeSetName="d", TemplateBody=body, ChangeSetType="UPDATE"
    )
    told = api.describe_change_set(StackName=stack["StackName"], ChangeSetName="d")
    assert told["Status"] == "FAILED"
    assert "didn't contain changes" in told["StatusReason"]


def test_dynamic_reference_is_resolved_or_refused(stand_in: StandIn) -> None:
    """A reference to an SSM parameter gives its value; one that leads nowhere fails the stack."""
    stand_in.client("ssm").put_parameter(Name="/dyn/one", Value="uno", Type="String")
    stack = stand_in.create({"A": _parameter("{{resolve:ssm:/dyn/one}}", Name="/dyn/two")})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert stand_in.client("ssm").get_parameter(Name="/dyn/two")["Parameter"]["Value"] == "uno"
    assert (
        stand_in.create({"A": _parameter("{{resolve:ssm:/dyn/nil}}")})["StackStatus"] == "ROLLBACK_COMPLETE"
    )


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("dyn-plain", "secret"),
        ("dyn-plain:SecretString", "secret"),
        ("dyn-plain:SecretString:::", "secret"),
        ("dyn-plain:SecretString::AWSCURRENT:", "secret"),
        ("dyn-json:SecretString:password", "inner"),
        ("dyn-json:SecretString:user", None),
        ("dyn-plain:SecretString:password", None),
        ("dyn-plain:SecretString::AWSPREVIOUS", None),
        ("dyn-nil:SecretString", None),
        ("dyn-plain:Binary", None),
    ],
)
def test_a_reference_to_a_secret_is_resolved_or_refused(
    stand_in: StandIn, reference: str, value: str | None
) -> None:
    """All of a secret or one member of its JSON; what is not there fails the stack."""
    secrets = stand_in.client("secretsmanager")
    for name, text in (("dyn-plain", "secret"), ("dyn-json", '{"password": "inner"}')):
        secrets.create_secret(Name=name, SecretString=text)
    try:
        stack = stand_in.create(
            {"A": _parameter("{{resolve:secretsmanager:" + reference + "}}", Name="/dyn/secret")}
        )
        if value is None:
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        else:
            told = stand_in.client("ssm").get_parameter(Name="/dyn/secret")
            assert told["Parameter"]["Value"] == value
            stand_in.delete(stack)
    finally:
        for name in ("dyn-plain", "dyn-json"):
            secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)


def test_a_reference_to_another_service_is_refused(stand_in: StandIn) -> None:
    """A kind of reference that the sandbox does not know is said to be so."""
    stack = stand_in.create({"A": _parameter("{{resolve:ssm-secure:/dyn/one:1}}")})
    assert "SBX-020" in stand_in.reasons(stack["StackName"])
