"""The tables of CloudWatch's alarms, and the page that has a part for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bedplate.telemetry.amp_alarms import AMP_ALARMS, DEFAULT_SERIES, WATCHDOG_SILENT, amp_alarms
from bedplate.telemetry.cloudwatch_alarm import RUNBOOK, CloudWatchAlarm
from bedplate.telemetry.file_system_alarms import FILE_SYSTEM_ALARMS

ROOT = Path(__file__).parents[2]
ALL = (*AMP_ALARMS, WATCHDOG_SILENT, *FILE_SYSTEM_ALARMS)
LONGEST_DESCRIPTION = 1024
"""CloudWatch API, PutMetricAlarm: characters of AlarmDescription."""
LONGEST_MOUNT = 100
WINDOW_SECONDS = 3 * 3600
"""CloudWatch User Guide, "Metrics Insights quotas": an alarm on a query looks back so far at most."""


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.name)
def test_a_row_is_whole(row: CloudWatchAlarm) -> None:
    """Meaning and action are sentences, the text fits with the longest mount point, and the time is one
    that CloudWatch takes.
    """
    assert row.meaning.endswith(".")
    assert row.action.endswith(".")
    assert len(row.description("x" * LONGEST_MOUNT)) <= LONGEST_DESCRIPTION
    assert row.period_seconds in (60, 300)
    assert row.period_seconds * row.periods <= WINDOW_SECONDS
    assert not (row.by_query and row.share_of)


def test_names_are_unique() -> None:
    """A name is a heading of the page, and an id in the stack."""
    assert len({row.name for row in ALL}) == len(ALL)


def test_the_page_has_a_part_for_each_alarm_and_for_no_other() -> None:
    """Whoever follows an alarm's link finds a heading of its name, its thresholds, and what to do."""
    parts = re.split(r"^### ", (ROOT / RUNBOOK).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {part.splitlines()[0].strip(): part for part in parts}
    assert {row.name for row in ALL} <= set(found)
    assert {
        name for name in found if re.fullmatch(r"(Metrics|Watchdog|Lustre|OpenZfs|Efs)[A-Z]\w+", name)
    } == {row.name for row in ALL}
    for row in ALL:
        assert f"`{row.metric}`" in found[row.name], row.name


def test_the_series_alarm_follows_the_environments_limit() -> None:
    """At 80 % of its own limit, or of AMP's where there is none."""
    assert amp_alarms(max_series=50_000)[-1].threshold == 40_000
    assert amp_alarms(max_series=None)[-1].threshold == DEFAULT_SERIES * 0.8
    assert amp_alarms(max_series=None)[:-1] == tuple(AMP_ALARMS[:-1])
