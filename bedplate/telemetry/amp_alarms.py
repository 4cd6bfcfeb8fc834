"""Alarms on the metrics' workspace itself: what Prometheus cannot tell when it is what fails.

Names and dimensions: AMP User Guide, "Use CloudWatch metrics to monitor Amazon Managed Service for Prometheus
resources". Thresholds are ours. Its metrics of discarded samples and of rules have further dimensions (the
reason, the rule group), so they are asked by query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bedplate.telemetry.cloudwatch_alarm import CloudWatchAlarm

DEFAULT_SERIES = 10_000_000
"""Active series that a workspace takes unless a quota is raised (AMP User Guide, "service quotas")."""
NEAR = 0.8
"""Share of the limit from which on it is near."""
_USAGE: Mapping[str, str] = {
    "Type": "Resource",
    "Resource": "ActiveSeries",
    "Service": "Prometheus",
    "Class": "None",
}

DISCARDED = CloudWatchAlarm(
    name="MetricsDiscarded",
    namespace="AWS/Prometheus",
    metric="DiscardedSamples",
    statistic="Sum",
    dimension="Workspace",
    by_query=True,
    threshold=1,
    period_seconds=300,
    periods=3,
    severity="ticket",
    meaning="AMP throws samples away: they came too late, twice, or over a limit.",
    action="Look at AWS/Prometheus DiscardedSamples by its Reason; the page has what each means.",
)
RULES_FAIL = CloudWatchAlarm(
    name="MetricsRulesFail",
    namespace="AWS/Prometheus",
    metric="RuleEvaluationFailures",
    statistic="Sum",
    dimension="Workspace",
    by_query=True,
    threshold=1,
    period_seconds=300,
    periods=3,
    severity="page",
    meaning="Rules cannot be evaluated, so their alerts do not fire.",
    action="Read the workspace's log group: it names the rule and the fault.",
)
RULES_LATE = CloudWatchAlarm(
    name="MetricsRulesLate",
    namespace="AWS/Prometheus",
    metric="RuleGroupIterationsMissed",
    statistic="Sum",
    dimension="Workspace",
    by_query=True,
    threshold=1,
    period_seconds=300,
    periods=3,
    severity="ticket",
    meaning="A rule group takes longer than its interval, so alerts come late.",
    action="Look at RuleGroupLastEvaluationDuration; lengthen the interval or split the group.",
)
NOT_SENT = CloudWatchAlarm(
    name="MetricsAlertsNotSent",
    namespace="AWS/Prometheus",
    metric="AlertManagerNotificationsFailed",
    statistic="Sum",
    dimension="Workspace",
    threshold=1,
    period_seconds=300,
    periods=1,
    severity="page",
    meaning="The alert manager could not deliver an alert.",
    action="Read the workspace's log group, and hold the topic's policy and key against the stack's.",
)
THROTTLED = CloudWatchAlarm(
    name="MetricsAlertsThrottled",
    namespace="AWS/Prometheus",
    metric="AlertManagerNotificationsThrottled",
    statistic="Sum",
    dimension="Workspace",
    threshold=1,
    period_seconds=300,
    periods=1,
    severity="ticket",
    meaning="The alert manager sends more than AMP lets it; some alerts are lost.",
    action="See which alert there are so many of, and silence it while it is dealt with.",
)
SERIES_NEAR_LIMIT = CloudWatchAlarm(
    name="MetricsSeriesNearLimit",
    namespace="AWS/Usage",
    metric="ResourceCount",
    statistic="Maximum",
    dimension="ResourceId",
    also=_USAGE,
    threshold=DEFAULT_SERIES * NEAR,
    period_seconds=300,
    periods=3,
    severity="ticket",
    meaning="Active series are near the limit, over which AMP throws new ones away.",
    action="Find the metric that grew (topk by __name__), or raise the limit and AMP's quota.",
)
WATCHDOG_SILENT = CloudWatchAlarm(
    name="WatchdogSilent",
    namespace="AWS/SNS",
    metric="NumberOfMessagesPublished",
    statistic="Sum",
    dimension="TopicName",
    rings="below",
    threshold=1,
    period_seconds=300,
    periods=3,
    missing="unwell",
    severity="page",
    meaning="The alert that always fires has not come for a quarter of an hour: no other would come either.",
    action="Read the workspace's log group; see that its rules are ACTIVE and the watchdog's topic is there.",
)
"""On the topic of ``bedplate.telemetry.watchdog``."""
AMP_ALARMS: Sequence[CloudWatchAlarm] = (
    DISCARDED,
    RULES_FAIL,
    RULES_LATE,
    NOT_SENT,
    THROTTLED,
    SERIES_NEAR_LIMIT,
)


def amp_alarms(*, max_series: int | None) -> tuple[CloudWatchAlarm, ...]:
    """All of them; the last looks at ``max_series`` where the environment sets one, else at AMP's own."""
    near = replace(SERIES_NEAR_LIMIT, threshold=int((max_series or DEFAULT_SERIES) * NEAR))
    return tuple(near if each is SERIES_NEAR_LIMIT else each for each in AMP_ALARMS)
