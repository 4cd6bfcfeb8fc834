"""What the nodes' role may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]


@pytest.fixture
def statements(synthesise: Callable[[Callable[[Stack], object]], Template]) -> dict[str, dict[str, Any]]:
    """The role's statements by their ids."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.node_role import NodeRole

        NodeRole(stack, "Role", program_bucket="assets", program_key="key.pyz", result_bucket="results")

    resources = synthesise(build)["Resources"].values()
    (policy,) = [each for each in resources if each["Type"] == "AWS::IAM::ManagedPolicy"]
    return {each["Sid"]: each for each in policy["Properties"]["PolicyDocument"]["Statement"]}


def test_a_node_reads_the_list_of_users_where_there_is_one(
    synthesise: Callable[[Callable[[Stack], object]], Template],
) -> None:
    """That one object of the result bucket, and no other."""

    def build(stack: Stack) -> None:
        from bedplate.constructs.node_role import NodeRole

        NodeRole(
            *(stack, "Role"),
            program_bucket="assets",
            program_key="key.pyz",
            result_bucket="results",
            users_key="users/prod.json",
        )

    resources = synthesise(build)["Resources"].values()
    (policy,) = [each for each in resources if each["Type"] == "AWS::IAM::ManagedPolicy"]
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    (fetch,) = [each for each in statements if each["Sid"] == "FetchUserList"]
    assert (fetch["Action"], fetch["Resource"]) == (
        ["s3:GetObject"],
        "arn:aws:s3:::results/users/prod.json",
    )


def test_a_node_reads_one_object_and_puts_reports(statements: dict[str, dict[str, Any]]) -> None:
    """It may get the node program, and put below bootstrap/ in the result bucket; nothing else of S3."""
    s3 = {
        name: (each["Action"], each["Resource"])
        for name, each in statements.items()
        if any(action.startswith("s3:") for action in each["Action"])
    }
    assert s3 == {
        "FetchNodeProgram": (["s3:GetObject"], "arn:aws:s3:::assets/key.pyz"),
        "ReportBoots": (["s3:PutObject"], "arn:aws:s3:::results/bootstrap/*"),
    }


def test_a_node_has_no_other_rights(statements: dict[str, dict[str, Any]]) -> None:
    """Beside that it registers with PCS and answers the SSM agent's service."""
    assert set(statements) == {
        "RegisterWithPcs",
        "AnswerSystemsManager",
        "FetchNodeProgram",
        "ReportBoots",
    }
    assert not [action for each in statements.values() for action in each["Action"] if "*" in action]
