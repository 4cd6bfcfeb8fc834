"""The list of users in its bucket, and the association by which running nodes follow it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from bedplate.node.__main__ import _parser
from bedplate.node.users.listed import ListedUser, UserList

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]
Synthesise = Callable[[Callable[["Stack"], object]], Template]
USERS = UserList("/home", (ListedUser("alice", 2001),))


def _object(users: UserList) -> Callable[[Stack], object]:
    def build(stack: Stack) -> object:
        from bedplate.constructs.user_list_object import UserListObject

        return UserListObject(
            *(stack, "Users"),
            environment="prod",
            users=users,
            bucket_name="results",
            bucket_arn="arn:aws:s3:::results",
        )

    return build


def _on_nodes(users: UserList) -> Callable[[Stack], object]:
    def build(stack: Stack) -> object:
        from bedplate.constructs.users_on_nodes import UsersOnNodes

        return UsersOnNodes(
            *(stack, "Users"), document_name="doc", tags={"aws:pcs:cluster-id": "pcs_1"}, users=users
        )

    return build


def _properties(template: Template, kind: str) -> dict[str, Any]:
    (found,) = [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]
    return dict(found)


def test_the_object_is_the_list(synthesise: Synthesise) -> None:
    """Bucket, key and text; the text is what a node reads."""
    properties = _properties(synthesise(_object(USERS)), "Custom::BedplateUsers")
    assert (properties["Bucket"], properties["Key"]) == ("results", "users/prod.json")
    assert UserList.from_json(properties["Manifest"]) == USERS


def test_the_key_stays_when_the_list_changes(synthesise: Synthesise) -> None:
    """Nothing but the object's text differs: no node is launched anew for it."""
    before = synthesise(_object(USERS))["Resources"]
    after = synthesise(_object(UserList("/home", (*USERS.users, ListedUser("bob", 2002)))))["Resources"]
    changed = [name for name in before if before[name] != after[name]]
    assert [before[name]["Type"] for name in changed] == ["Custom::BedplateUsers"]


def test_the_writer_may_write_that_object_only(synthesise: Synthesise) -> None:
    """Its role can put and delete one key and write its own log."""
    policy = _properties(synthesise(_object(USERS)), "AWS::IAM::ManagedPolicy")
    statements = {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}
    assert set(statements) == {"WriteUserList", "WriteOwnLog"}
    assert statements["WriteUserList"]["Resource"] == "arn:aws:s3:::results/users/prod.json"


@pytest.fixture
def association(synthesise: Synthesise) -> dict[str, Any]:
    """The association's properties."""
    return _properties(synthesise(_on_nodes(USERS)), "AWS::SSM::Association")


def test_every_node_runs_the_command_again_and_again(association: dict[str, Any]) -> None:
    """All nodes by their tag, some at a time, and no failure of one keeps the others from it."""
    assert association["Targets"] == [{"Key": "tag:aws:pcs:cluster-id", "Values": ["pcs_1"]}]
    assert association["ScheduleExpression"] == "rate(30 minutes)"
    assert (association["MaxConcurrency"], association["MaxErrors"]) == ("10%", "100%")


def test_the_command_is_one_that_the_document_and_the_program_take(association: dict[str, Any]) -> None:
    """Its words pass the document's pattern, and the node program knows them."""
    import re

    from bedplate.constructs.node_command_document import ARGUMENTS_PATTERN

    (arguments,) = association["Parameters"]["Arguments"]
    assert re.match(ARGUMENTS_PATTERN, arguments)
    words = arguments.split()
    assert _parser(words[0]).parse_args(words).command == "make-users"


def test_another_list_is_another_command(synthesise: Synthesise, association: dict[str, Any]) -> None:
    """State Manager runs an association again when its parameters change; the same list changes nothing."""
    again = _properties(synthesise(_on_nodes(USERS)), "AWS::SSM::Association")
    moved = _properties(synthesise(_on_nodes(UserList("/fsx", USERS.users))), "AWS::SSM::Association")
    assert json.dumps(again) == json.dumps(association)
    assert moved["Parameters"]["Arguments"] != association["Parameters"]["Arguments"]


@pytest.mark.parametrize(("kept", "denied"), [((), []), (("users/prod.json",), ["Keep1"])])
def test_an_operator_cannot_write_what_nodes_act_upon(
    synthesise: Synthesise, kept: tuple[str, ...], denied: list[str]
) -> None:
    """Who validates puts reports into the bucket, and would else make users with it."""

    def build(stack: Stack) -> object:
        from bedplate.constructs.validation_access import ValidationAccess

        return ValidationAccess(
            *(stack, "Access"),
            environment="prod",
            node_role_name="nodes",
            node_tag=("aws:pcs:cluster-id", "pcs_1"),
            document_name="doc",
            bucket_arn="arn:aws:s3:::results",
            kept_keys=kept,
        )

    resources = synthesise(build)["Resources"]
    (policy,) = [each for name, each in resources.items() if name.startswith("AccessOperator")]
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    found = [each for each in statements if each["Effect"] == "Deny"]
    assert [each["Sid"] for each in found] == denied
    assert [(each["Action"], each["Resource"]) for each in found] == [
        (["s3:PutObject"], f"arn:aws:s3:::results/{key}") for key in kept
    ]
