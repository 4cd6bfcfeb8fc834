"""The alarm on the scaler's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Resources = Callable[[Any, str], dict[str, Any]]
TOPIC = "arn:aws:sns:us-west-2:111122223333:alarms"


def test_one_failed_run_is_told(resources: Resources) -> None:
    """One error of this function within a tick reaches the topic, and so does its end; silence does not."""

    def build(stack: Any) -> None:
        from bedplate.constructs.block_scaler_alarm import BlockScalerAlarm

        BlockScalerAlarm(stack, "Alarm", function_name="scaler", topic_arn=TOPIC)

    (alarm,) = resources(build, "AWS::CloudWatch::Alarm").values()
    properties = alarm["Properties"]
    assert (properties["Namespace"], properties["MetricName"]) == ("AWS/Lambda", "Errors")
    assert properties["Dimensions"] == [{"Name": "FunctionName", "Value": "scaler"}]
    assert (properties["Statistic"], properties["Period"], properties["EvaluationPeriods"]) == ("Sum", 300, 1)
    assert properties["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert properties["Threshold"] == 1
    assert properties["TreatMissingData"] == "notBreaching"
    assert properties["AlarmActions"] == properties["OKActions"] == [TOPIC]
