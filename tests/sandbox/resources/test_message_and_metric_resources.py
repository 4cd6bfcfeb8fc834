"""SNS, AMP, KMS, logs: what a stack makes, the services tell."""

from __future__ import annotations

import pytest

from tests.sandbox.stand_in import StandIn, outputs

RULES = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up == 0\n"


def test_workspace_and_rules_are_told(stand_in: StandIn) -> None:
    """AMP describes the workspace and the rule groups that a stack made."""
    stack = stand_in.create(
        {
            "W": {
                "Type": "AWS::APS::Workspace",
                "Properties": {
                    "Alias": "w",
                    "AlertManagerDefinition": "alertmanager_config: |\n  route: {}\n",
                },
            },
            "R": {
                "Type": "AWS::APS::RuleGroupsNamespace",
                "Properties": {"Workspace": {"Ref": "W"}, "Name": "rules", "Data": RULES},
            },
        },
        Outputs={"Id": {"Value": {"Fn::GetAtt": ["W", "WorkspaceId"]}}},
    )
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    amp, workspace = stand_in.client("amp"), outputs(stack)["Id"]
    assert amp.describe_workspace(workspaceId=workspace)["workspace"]["alias"] == "w"
    told = amp.describe_rule_groups_namespace(workspaceId=workspace, name="rules")["ruleGroupsNamespace"]
    assert told["data"] == RULES.encode()


@pytest.mark.parametrize("data", ["groups: 1", "a: [", "groups:\n- name: g\n  rules:\n  - record: r\n"])
def test_broken_rules_are_refused(stand_in: StandIn, data: str) -> None:
    """Rules that AMP would refuse fail the stack."""
    stack = stand_in.create(
        {
            "W": {"Type": "AWS::APS::Workspace"},
            "R": {
                "Type": "AWS::APS::RuleGroupsNamespace",
                "Properties": {"Workspace": {"Ref": "W"}, "Name": "rules", "Data": data},
            },
        }
    )
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "ValidationException" in stand_in.reasons(stack["StackName"])


def test_subscription_and_policy_reach_the_topic(stand_in: StandIn) -> None:
    """SNS lists the subscription, and the topic carries the policy."""
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "aps.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": {"Ref": "T"},
            }
        ],
    }
    stack = stand_in.create(
        {
            "T": {"Type": "AWS::SNS::Topic"},
            "S": {
                "Type": "AWS::SNS::Subscription",
                "Properties": {"TopicArn": {"Ref": "T"}, "Protocol": "email", "Endpoint": "a@example.com"},
            },
            "P": {
                "Type": "AWS::SNS::TopicPolicy",
                "Properties": {"Topics": [{"Ref": "T"}], "PolicyDocument": policy},
            },
        },
        Outputs={"Arn": {"Value": {"Ref": "T"}}},
    )
    sns, arn = stand_in.client("sns"), outputs(stack)["Arn"]
    assert [s["Endpoint"] for s in sns.list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]] == [
        "a@example.com"
    ]
    assert "aps.amazonaws.com" in sns.get_topic_attributes(TopicArn=arn)["Attributes"]["Policy"]
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_log_group_retention_changes_in_place(stand_in: StandIn) -> None:
    """A changed retention keeps the group."""

    def resources(days: int) -> dict[str, object]:
        return {
            "L": {
                "Type": "AWS::Logs::LogGroup",
                "Properties": {"LogGroupName": "/x/y", "RetentionInDays": days},
            }
        }

    stack = stand_in.create(resources(7))
    assert stand_in.update(stack["StackName"], resources(14))["StackStatus"] == "UPDATE_COMPLETE"
    groups = stand_in.client("logs").describe_log_groups(logGroupNamePrefix="/x/y")["logGroups"]
    assert [group["retentionInDays"] for group in groups] == [14]
