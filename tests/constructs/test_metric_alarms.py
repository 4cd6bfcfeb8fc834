"""Alarms made from rows, and the watchdog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bedplate.telemetry.cloudwatch_alarm import CloudWatchAlarm
from bedplate.telemetry.file_system_alarms import OST_FULL, OST_SPACE, ZFS_FILLING

Resources = Callable[[Any, str], dict[str, Any]]
Synthesise = Callable[[Any], dict[str, Any]]
TOPIC = "arn:aws:sns:us-west-2:111122223333:alarms"
FILE_SYSTEM = "fs-0123456789abcdef0"


def _alarm(resources: Resources, row: CloudWatchAlarm) -> dict[str, Any]:
    def build(stack: Any) -> None:
        from bedplate.constructs.metric_alarms import MetricAlarms

        MetricAlarms(
            stack,
            "Alarms",
            alarms=[row],
            resource={"FileSystemId": FILE_SYSTEM},
            what="/fsx",
            topic_arn=TOPIC,
        )

    (made,) = resources(build, "AWS::CloudWatch::Alarm").values()
    properties: dict[str, Any] = made["Properties"]
    return properties


def test_a_row_becomes_an_alarm_on_one_series(resources: Resources) -> None:
    """Metric, statistic, time and threshold are the row's; no data is no alarm, and its end is told too."""
    made = _alarm(resources, replace(OST_SPACE, also={"Publisher": "AutoExport"}))
    assert (made["Namespace"], made["MetricName"], made["Statistic"]) == (
        "AWS/FSx",
        "FreeDataStorageCapacity",
        "Minimum",
    )
    assert (made["Period"], made["EvaluationPeriods"], made["Threshold"]) == (60, 5, 64 * 2**30)
    assert made["ComparisonOperator"] == "LessThanThreshold"
    assert {each["Name"]: each["Value"] for each in made["Dimensions"]} == {
        "FileSystemId": FILE_SYSTEM,
        "Publisher": "AutoExport",
    }
    assert made["TreatMissingData"] == "notBreaching"
    assert made["AlarmActions"] == made["OKActions"] == [TOPIC]


def test_a_row_by_query_takes_every_series(resources: Resources) -> None:
    """The fullest of however many targets there are, by a query on the one dimension that is known."""
    made = _alarm(resources, OST_FULL)
    (query,) = made["Metrics"]
    assert query["Expression"] == (
        f"SELECT MAX(StorageCapacityUtilization) FROM \"AWS/FSx\" WHERE FileSystemId = '{FILE_SYSTEM}'"
    )
    assert (query["Period"], query["ReturnData"]) == (60, True)
    assert made["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert "MetricName" not in made


def test_a_share_is_a_percentage_of_another_metric(resources: Resources) -> None:
    """Only the quotient is held against the threshold."""
    parts = {each["Id"]: each for each in _alarm(resources, ZFS_FILLING)["Metrics"]}
    assert [name for name, each in parts.items() if each["ReturnData"]] == ["measured"]
    assert parts["measured"]["Expression"] == "100 * part / whole"
    named = {
        name: each["MetricStat"]["Metric"]["MetricName"] for name, each in parts.items() if name != "measured"
    }
    assert named == {"part": "UsedStorageCapacity", "whole": "StorageCapacity"}


def test_people_read_what_it_means_and_what_to_do(resources: Resources) -> None:
    """The mail has severity, the resource in their words, the meaning, the action and the page."""
    text = _alarm(resources, OST_SPACE)["AlarmDescription"]
    assert text.startswith("[page] /fsx: ")
    assert OST_SPACE.meaning in text
    assert OST_SPACE.action in text
    assert "docs/alarms.md#lustretargetspace" in text


def _watchdog(stack: Any) -> None:
    from bedplate.constructs.alarm_topic import AlarmTopic
    from bedplate.constructs.metrics_workspace import MetricsWorkspace
    from bedplate.constructs.watchdog import Watchdog
    from bedplate.telemetry.alert_manager import alert_manager_definition
    from bedplate.telemetry.alert_rules import rule_file

    topic = AlarmTopic(stack, "Alarms", from_cloudwatch=True)
    watchdog = Watchdog(stack, "Watchdog", key_arn=topic.key_arn, alarm_topic_arn=topic.topic_arn)
    metrics = MetricsWorkspace(
        stack,
        "Metrics",
        alias="a",
        retention_days=1,
        alert_manager_definition=alert_manager_definition(
            topic_arn=topic.topic_arn,
            region="us-west-2",
            environment="a",
            watchdog_topic_arn=watchdog.topic_arn,
        ),
        rules=rule_file(environment="a", watchdog=True),
    )
    watchdog.watch(workspace_arn=metrics.workspace_arn, rules=metrics.rules)
    topic.allow_publishers(workspace_arn=metrics.workspace_arn, alarm_arns=watchdog.alarm_arns)


def test_silence_of_the_watchdog_rings(synthesise: Synthesise) -> None:
    """No message for three periods rings, and so do no data at all; it goes to the topic with people."""
    made = synthesise(_watchdog)["Resources"]
    ((_, alarm),) = _of(made, "AWS::CloudWatch::Alarm")
    properties = alarm["Properties"]
    assert (properties["Namespace"], properties["MetricName"]) == ("AWS/SNS", "NumberOfMessagesPublished")
    assert properties["TreatMissingData"] == "breaching"
    assert (properties["Period"], properties["EvaluationPeriods"], properties["Threshold"]) == (300, 3, 1)
    topics = dict(_of(made, "AWS::SNS::Topic"))
    (nobody,) = [name for name in topics if name.startswith("Watchdog")]
    (people,) = [name for name in topics if name.startswith("Alarms")]
    assert properties["Dimensions"] == [{"Name": "TopicName", "Value": {"Fn::GetAtt": [nobody, "TopicName"]}}]
    assert properties["AlarmActions"] == [{"Fn::GetAtt": [people, "TopicArn"]}]
    rules = [name for name, _ in _of(made, "AWS::APS::RuleGroupsNamespace")]
    assert set(rules) < set(alarm["DependsOn"])


def test_the_watchdogs_topic_mails_nobody_and_is_sent_to(synthesise: Synthesise) -> None:
    """It has no subscription; the alert manager may publish, for this workspace alone, and names it."""
    made = synthesise(_watchdog)["Resources"]
    assert _of(made, "AWS::SNS::Subscription") == []
    (policy,) = [each for name, each in _of(made, "AWS::SNS::TopicPolicy") if name.startswith("Watchdog")]
    allowed, denied = policy["Properties"]["PolicyDocument"]["Statement"]
    ((workspace_id, workspace),) = _of(made, "AWS::APS::Workspace")
    assert allowed["Principal"] == {"Service": "aps.amazonaws.com"}
    assert allowed["Condition"]["ArnEquals"] == {"aws:SourceArn": {"Fn::GetAtt": [workspace_id, "Arn"]}}
    assert denied["Effect"] == "Deny"
    (topic,) = policy["Properties"]["Topics"]
    assert topic in workspace["Properties"]["AlertManagerDefinition"]["Fn::Join"][1]


def _of(made: dict[str, Any], type_: str) -> list[tuple[str, Any]]:
    return [(name, each) for name, each in made.items() if each["Type"] == type_]


def test_series_of_the_environment_are_counted_and_limited(resources: Resources) -> None:
    """Late samples are taken, rules look back, and one label set has the limit: zero limits nothing."""

    def build(stack: Any) -> None:
        from bedplate.constructs.metrics_workspace import MetricsWorkspace

        for alias, environment, limit in (("a", "a", 50_000), ("b", "b", None), ("c", None, None)):
            MetricsWorkspace(
                stack,
                f"Metrics{alias}",
                alias=alias,
                retention_days=30,
                alert_manager_definition="",
                rules="",
                environment=environment,
                max_series=limit,
            )

    made = resources(build, "AWS::APS::Workspace").values()
    found = {each["Properties"]["Alias"]: each["Properties"]["WorkspaceConfiguration"] for each in made}
    assert {each["OutOfOrderTimeWindowInSeconds"] for each in found.values()} == {600}
    assert {each["RuleQueryOffsetInSeconds"] for each in found.values()} == {30}
    assert found["a"]["LimitsPerLabelSets"] == [
        {"LabelSet": [{"Name": "environment", "Value": "a"}], "Limits": {"MaxSeries": 50_000}}
    ]
    assert found["b"]["LimitsPerLabelSets"][0]["Limits"] == {"MaxSeries": 0}
    assert "LimitsPerLabelSets" not in found["c"]
