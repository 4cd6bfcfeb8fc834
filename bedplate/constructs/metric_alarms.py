"""Alarms of CloudWatch made from rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constructs import Construct

from bedplate.constructs.l1 import aws_cloudwatch as cloudwatch
from bedplate.telemetry.cloudwatch_alarm import CloudWatchAlarm

_COMPARISON = {"at-least": "GreaterThanOrEqualToThreshold", "below": "LessThanThreshold"}
_MISSING = {"well": "notBreaching", "unwell": "breaching"}
_FUNCTION = {"Average": "AVG", "Maximum": "MAX", "Minimum": "MIN", "Sum": "SUM"}


class MetricAlarms(Construct):
    """Alarms on one resource, to a topic, which hears of their end too.

    ``resource`` is from the dimension that a row names to the resource's value of it; ``what`` is the
    resource in people's words. A row ``by_query`` becomes a query of Metrics Insights, which finds the series
    at each look: servers and targets come and go, while an ordinary alarm is on one series of which every
    dimension has to be known. The topic's policy and key must let CloudWatch publish
    (``AlarmTopic(from_cloudwatch=True)`` and ``allow_publishers``).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        alarms: Sequence[CloudWatchAlarm],
        resource: Mapping[str, str],
        what: str,
        topic_arn: str,
    ) -> None:
        super().__init__(scope, id)
        self.alarm_arns: tuple[str, ...] = tuple(
            self._alarm(each, value=resource[each.dimension], what=what, topic_arn=topic_arn)
            for each in alarms
        )
        """The alarms' ARNs, in the order of the rows."""

    def _alarm(self, row: CloudWatchAlarm, *, value: str, what: str, topic_arn: str) -> str:
        made = cloudwatch.CfnAlarm(
            self,
            row.name,
            alarm_description=row.description(what),
            threshold=row.threshold,
            evaluation_periods=row.periods,
            comparison_operator=_COMPARISON[row.rings],
            treat_missing_data=_MISSING[row.missing],
            alarm_actions=[topic_arn],
            ok_actions=[topic_arn],
            **_measured(row, value),
        )
        return str(made.attr_arn)


def _measured(row: CloudWatchAlarm, value: str) -> dict[str, Any]:
    if row.by_query:
        return {"metrics": [_expression(row, _query(row, value))]}
    if row.share_of is not None:
        share = _expression(row, "100 * part / whole")
        parts = [_part("part", row, row.metric, value), _part("whole", row, row.share_of, value)]
        return {"metrics": [share, *parts]}
    return {
        "namespace": row.namespace,
        "metric_name": row.metric,
        "dimensions": _dimensions(row, value),
        "statistic": row.statistic,
        "period": row.period_seconds,
    }


def _query(row: CloudWatchAlarm, value: str) -> str:
    wanted = " AND ".join(f"{name} = '{each}'" for name, each in {row.dimension: value, **row.also}.items())
    # No database: the words are our table's, and the value is an id of the stack's own.
    return f'SELECT {_FUNCTION[row.statistic]}({row.metric}) FROM "{row.namespace}" WHERE {wanted}'  # noqa: S608


def _expression(row: CloudWatchAlarm, text: str) -> Any:
    return cloudwatch.CfnAlarm.MetricDataQueryProperty(
        id="measured", expression=text, period=row.period_seconds, return_data=True
    )


def _part(id_: str, row: CloudWatchAlarm, metric: str, value: str) -> Any:
    return cloudwatch.CfnAlarm.MetricDataQueryProperty(
        id=id_,
        metric_stat=cloudwatch.CfnAlarm.MetricStatProperty(
            metric=cloudwatch.CfnAlarm.MetricProperty(
                namespace=row.namespace, metric_name=metric, dimensions=_dimensions(row, value)
            ),
            period=row.period_seconds,
            stat=row.statistic,
        ),
        return_data=False,
    )


def _dimensions(row: CloudWatchAlarm, value: str) -> list[Any]:
    named = {row.dimension: value, **row.also}
    return [cloudwatch.CfnAlarm.DimensionProperty(name=name, value=each) for name, each in named.items()]
