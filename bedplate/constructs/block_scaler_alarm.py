"""Tells people that the scaler of Capacity Blocks fails: nodes that were bought do not come meanwhile."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.block_scaler import TICK_MINUTES
from bedplate.constructs.l1 import aws_cloudwatch as cloudwatch


class BlockScalerAlarm(Construct):
    """An alarm on a function's errors, to a topic; the topic hears of its end too.

    ``function_name`` is the scaler's. One failed run within ``TICK_MINUTES`` raises it, for a block's clock
    runs; runs that do not happen at all raise nothing. The topic's policy and key must let CloudWatch publish
    (``AlarmTopic(from_cloudwatch=True)`` and ``allow_publishers``).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        function_name: str,
        topic_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self.resource = cloudwatch.CfnAlarm(
            self,
            "Errors",
            alarm_description="The function that scales node groups on Capacity Blocks fails: nodes of a "
            "block do not come, or are not let go before its end. Its log in CloudWatch says why.",
            namespace="AWS/Lambda",
            metric_name="Errors",
            dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="FunctionName", value=function_name)],
            statistic="Sum",
            period=TICK_MINUTES * 60,
            evaluation_periods=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[topic_arn],
            ok_actions=[topic_arn],
        )
        """The alarm."""
        self.alarm_arn: str = self.resource.attr_arn
        """The alarm's ARN."""
