"""SNS and logs: what a stack makes, the services tell."""

from __future__ import annotations

from tests.sandbox.stand_in import StandIn, outputs


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
