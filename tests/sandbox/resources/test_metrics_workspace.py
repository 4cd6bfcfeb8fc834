"""AMP in the sandbox: a workspace, its rules and its alert manager over their life."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.pager_duty import PagerDuty
from tests.sandbox.stand_in import StandIn, outputs

TOPIC = "arn:aws:sns:us-west-2:123456789012:alarms"
RULES = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up == 0\n"
OURS = alert_manager_definition(
    topic_arn=TOPIC,
    region="us-west-2",
    environment="demo",
    watchdog_topic_arn=f"{TOPIC}-watchdog",
    pager_duty=PagerDuty(secret_arn="arn:aws:secretsmanager:a:1:secret:b", secret_key="routing_key"),
)
OUTPUTS = {"Id": {"Value": {"Fn::GetAtt": ["W", "WorkspaceId"]}}}


def _resources(
    *, rules: str = RULES, alert_manager: str = OURS, configuration: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "W": {
            "Type": "AWS::APS::Workspace",
            "Properties": {
                "Alias": "w",
                "AlertManagerDefinition": alert_manager,
                "WorkspaceConfiguration": configuration or {"RetentionPeriodInDays": 30},
            },
        },
        "R": {
            "Type": "AWS::APS::RuleGroupsNamespace",
            "Properties": {"Workspace": {"Ref": "W"}, "Name": "rules", "Data": rules},
        },
    }


def _told(stand_in: StandIn, workspace: str) -> tuple[bytes, bytes, dict[str, Any]]:
    amp = stand_in.client("amp")
    rules = amp.describe_rule_groups_namespace(workspaceId=workspace, name="rules")["ruleGroupsNamespace"]
    manager = amp.describe_alert_manager_definition(workspaceId=workspace)["alertManagerDefinition"]
    configuration = amp.describe_workspace_configuration(workspaceId=workspace)["workspaceConfiguration"]
    assert rules["status"] == manager["status"] == configuration.pop("status") == {"statusCode": "ACTIVE"}
    return rules["data"], manager["data"], configuration


def test_what_a_stack_makes_is_told(stand_in: StandIn) -> None:
    """Rules, alert manager and configuration are what the template says; what it leaves out is AMP's own."""
    stack = stand_in.create(_resources(), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    rules, manager, configuration = _told(stand_in, outputs(stack)["Id"])
    assert (rules, manager) == (RULES.encode(), OURS.encode())
    assert configuration == {
        "retentionPeriodInDays": 30,
        "outOfOrderTimeWindowInSeconds": 60,
        "ruleQueryOffsetInSeconds": 0,
        "limitsPerLabelSet": [],
    }


def test_all_of_it_changes_in_place(stand_in: StandIn) -> None:
    """A changed rule, another receiver, retention, window and limit reach the same workspace."""
    stack = stand_in.create(_resources(), Outputs=OUTPUTS)
    changed = RULES.replace("up == 0", "absent(up)")
    manager = OURS.replace(TOPIC, f"{TOPIC}-2")
    label = {"Name": "environment", "Value": "demo"}
    configuration = {
        "RetentionPeriodInDays": 90,
        "OutOfOrderTimeWindowInSeconds": 600,
        "RuleQueryOffsetInSeconds": 30,
        "LimitsPerLabelSets": [{"LabelSet": [label], "Limits": {"MaxSeries": 50_000}}],
    }
    wanted = _resources(rules=changed, alert_manager=manager, configuration=configuration)
    updated = stand_in.update(stack["StackName"], wanted, Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    assert outputs(updated) == outputs(stack)
    rules, told, kept = _told(stand_in, outputs(stack)["Id"])
    assert (rules, told) == (changed.encode(), manager.encode())
    assert kept == {
        "retentionPeriodInDays": 90,
        "outOfOrderTimeWindowInSeconds": 600,
        "ruleQueryOffsetInSeconds": 30,
        "limitsPerLabelSet": [{"labelSet": {"environment": "demo"}, "limits": {"maxSeries": 50_000}}],
    }


def test_a_refused_rule_leaves_the_old_ones(stand_in: StandIn) -> None:
    """The stack rolls back, says which rule it was, and the rules are those of before."""
    stack = stand_in.create(_resources(), Outputs=OUTPUTS)
    broken = RULES.replace("up == 0", "up ==")
    updated = stand_in.update(stack["StackName"], _resources(rules=broken), Outputs=OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "rule A of group g: could not parse expression 'up =='" in stand_in.reasons(stack["StackName"])
    assert _told(stand_in, outputs(stack)["Id"])[0] == RULES.encode()


def test_a_deleted_stack_leaves_nothing(stand_in: StandIn) -> None:
    """Without a policy that retains it, the workspace goes with its rules and its alert manager."""
    stack = stand_in.create(_resources(), Outputs=OUTPUTS)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    for ask in ("describe_alert_manager_definition", "describe_workspace_configuration"):
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            getattr(stand_in.client("amp"), ask)(workspaceId=outputs(stack)["Id"])


def test_our_own_rules_are_taken(stand_in: StandIn) -> None:
    """Every expression of the product's file is PromQL to the stand-in as it is to Prometheus."""
    ours = rule_file(environment="demo", watchdog=True)
    stack = stand_in.create(_resources(rules=ours), Outputs=OUTPUTS)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stand_in.reasons(stack["StackName"])
    groups = yaml.safe_load(_told(stand_in, outputs(stack)["Id"])[0])["groups"]
    assert sum(len(group["rules"]) for group in groups) > 20


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("groups: 1", "holds no groups"),
        ("a: [", "is no YAML"),
        ("groups:\n- rules: []\n", "a group has no name"),
        ("groups:\n- name: g\n- name: g\n", '"g" is repeated'),
        ("groups:\n- name: g\n  rule: []\n", "field rule not found"),
        ("groups:\n- name: g\n  rules:\n  - record: r\n", "is no rule"),
        ("groups:\n- name: g\n  rules:\n  - {record: r, alert: a, expr: up}\n", "is no rule"),
        ("groups:\n- name: g\n  rules:\n  - {alert: a, expr: up, fro: 5m}\n", "field fro not found"),
        ("groups:\n- name: g\n  rules:\n  - {alert: a, expr: up, for: 5 minutes}\n", "is no duration"),
        ("groups:\n- name: g\n  rules:\n  - {record: r, expr: up, for: 5m}\n", "a recording rule takes none"),
        ("groups:\n- name: g\n  rules:\n  - {alert: a, expr: 'sum(up'}\n", "could not parse expression"),
    ],
)
def test_rules_that_amp_would_not_take(stand_in: StandIn, rules: str, reason: str) -> None:
    """They fail the stack, and the reason says what and where."""
    stack = stand_in.create(_resources(rules=rules))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "ValidationException" in stand_in.reasons(stack["StackName"])
    assert reason in stand_in.reasons(stack["StackName"])


def _manager(**changes: Any) -> str:
    config = {
        "route": {"receiver": "a"},
        "receivers": [{"name": "a", "sns_configs": [{"topic_arn": TOPIC, "sigv4": {"region": "r"}}]}],
        **changes,
    }
    return yaml.safe_dump({"alertmanager_config": yaml.safe_dump(config)})


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("route: {}", "holds no alertmanager_config"),
        (_manager(route={}), "the root route has no receiver"),
        (_manager(route={"receiver": "b"}), 'undefined receiver "b"'),
        (_manager(route={"receiver": "a", "routes": [{"receiver": "c"}]}), 'undefined receiver "c"'),
        (_manager(route={"receiver": "a", "repeat_interval": "daily"}), "is no duration"),
        (
            _manager(receivers=[{"name": "a", "pagerduty_configs": [{"routing_key": "0123"}]}]),
            "has to name a secret",
        ),
        (
            _manager(receivers=[{"name": "a", "pagerduty_configs": [{"url": "u"}]}]),
            "['url'] is not supported",
        ),
        (_manager(receivers=[{"name": "a", "email_configs": []}]), "field email_configs not found"),
        (_manager(receivers=[{"name": "a", "sns_configs": [{"topic_arn": "t"}]}]), "sigv4.region"),
        (
            _manager(
                receivers=[
                    {
                        "name": "a",
                        "sns_configs": [{"topic_arn": "t", "sigv4": {"region": "r"}, "api_url": "x"}],
                    }
                ]
            ),
            "['api_url'] is not supported",
        ),
    ],
)
def test_alert_managers_that_amp_would_not_take(stand_in: StandIn, definition: str, reason: str) -> None:
    """They fail the stack, and the reason says what."""
    stack = stand_in.create(_resources(alert_manager=definition))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason in stand_in.reasons(stack["StackName"])


def test_retention_has_an_end(stand_in: StandIn) -> None:
    """AMP keeps 1095 days at most."""
    stack = stand_in.create(_resources(configuration={"RetentionPeriodInDays": 1096}))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "1096" in stand_in.reasons(stack["StackName"])
