"""EventBridge's schedule expressions: what is taken, what is refused, and when the next run is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bedplate.spec.schedule import ScheduleRefused, parse_schedule

NOW = datetime(2026, 3, 4, 10, 30, 20, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("expression", "due"),
    [
        ("rate(1 day)", "2026-03-05T10:30:20"),
        ("rate(90 minutes)", "2026-03-04T12:00:20"),
        ("cron(0 3 ? * SUN *)", "2026-03-08T03:00:00"),
        ("cron(0 3 ? * 1 *)", "2026-03-08T03:00:00"),
        ("cron(0/15 * * * ? *)", "2026-03-04T10:45:00"),
        ("cron(30 10 * * ? *)", "2026-03-05T10:30:00"),
        ("cron(0 18 ? * MON-FRI *)", "2026-03-04T18:00:00"),
        ("cron(0 8 1 * ? *)", "2026-04-01T08:00:00"),
        ("cron(15 12 L * ? *)", "2026-03-31T12:15:00"),
        ("cron(0 9 ? * 2#1 *)", "2026-04-06T09:00:00"),
        ("cron(0 9 ? * 6L *)", "2026-03-27T09:00:00"),
        ("cron(0 0 1W * ? *)", "2026-04-01T00:00:00"),
        ("cron(0 0 31W JAN ? *)", "2027-01-29T00:00:00"),
        ("cron(5,35 14 * * ? 2026-2027)", "2026-03-04T14:05:00"),
        ("cron(0 0 29 FEB ? *)", "2028-02-29T00:00:00"),
    ],
)
def test_the_next_run_is_when_eventbridge_would_make_it(expression: str, due: str) -> None:
    """Rates count from now; cron's fields follow EventBridge's own order, names and wildcards."""
    assert parse_schedule(expression).next_after(NOW) == datetime.fromisoformat(due).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("rate(1 days)", "1 day"),
        ("rate(2 day)", "2 days"),
        ("rate(0 days)", "not a number"),
        ("rate(5 weeks)", "not a number"),
        ("cron(0 3 * * SUN *)", "exactly one"),
        ("cron(0 3 ? * ? *)", "exactly one"),
        ("cron(0 3 * * ?)", "six fields"),
        ("cron(60 3 * * ? *)", "minutes"),
        ("cron(0 24 * * ? *)", "hours"),
        ("cron(0 3 32 * ? *)", "day-of-month"),
        ("cron(0 3 ? * 8 *)", "day-of-week"),
        ("cron(0 3 ? * MON#6 *)", "day-of-week"),
        ("cron(0/0 3 * * ? *)", "minutes"),
        ("cron(30-10 3 * * ? *)", "minutes"),
        ("cron(0 3 * FOO ? *)", "month"),
        ("cron(0 3 31 FEB ? *)", "no such day"),
        ("cron(0 3 * * ? 2020)", "no such day"),
        ("rate( 1 day )", "space beside a bracket"),
        ("rate(1  day)", "not a number"),
        ("rate(-1 days)", "not a number"),
        ("rate(1.5 hours)", "not a number"),
        ("cron( 0 3 ? * SUN *)", "space beside a bracket"),
        ("cron(0 3 1 * MON *)", "exactly one"),
        ("cron(*/60 * * * ? *)", "minutes"),
        ("cron(0 */24 * * ? *)", "hours"),
        ("cron(0 3 ?,5 * ? *)", "stand alone"),
        ("cron(0 3 ? * 3#1,6#3 *)", "stand alone"),
        ("cron(0 3 ? * 1/2 *)", "no steps"),
        ("cron(\u0663 3 ? * SUN *)", "minutes"),
        (f"rate({'9' * 300} days)", "256"),
        ("at(2026-01-01T00:00:00)", "neither"),
        ("daily", "neither"),
    ],
)
def test_what_eventbridge_refuses_is_refused_with_the_part_at_fault(expression: str, why: str) -> None:
    """Each expression that a deploy would stumble over is refused, and the text says over what."""
    with pytest.raises(ScheduleRefused, match=why):
        parse_schedule(expression)


@pytest.mark.parametrize(
    ("expression", "often"),
    [
        ("rate(1 minute)", True),
        ("rate(59 minutes)", True),
        ("rate(60 minutes)", False),
        ("rate(1 hour)", False),
        ("cron(* * * * ? *)", True),
        ("cron(0,30 3 ? * SUN *)", True),
        ("cron(0/59 3 ? * SUN *)", True),
        ("cron(15 * * * ? *)", False),
        ("cron(0 3 ? * SUN *)", False),
    ],
)
def test_a_pace_of_less_than_an_hour_is_known(expression: str, often: bool) -> None:
    """A rate under an hour, or a cron expression that names more than one minute."""
    assert parse_schedule(expression).is_due_again_within_an_hour() is often


def test_a_rate_beyond_the_calendar_never_comes() -> None:
    """The stand-in's clock goes on; the rule refuses it in an environment file."""
    assert parse_schedule(f"rate({'9' * 30} days)").next_after(NOW) is None
