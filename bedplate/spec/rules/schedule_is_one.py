"""VAL-004: a schedule is one that EventBridge takes, at a pace that a cluster bears."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.schedule import Rate, ScheduleRefused, parse_schedule

_LONGEST_DAYS = 366
"""Our own bound: EventBridge documents none."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse an expression that EventBridge would refuse in the deploy, or that makes no sense for a run."""
    if draft.schedule is None:
        return
    why = _why_not(draft.schedule)
    if why:
        yield Violation(
            path=("validation", "schedule"),
            message=why,
            allowed=(
                "rate(N minutes|hours|days), or cron(minutes hours day-of-month month day-of-week year); "
                f"runs at least an hour and at most {_LONGEST_DAYS} days apart"
            ),
            remedy="Write for example rate(1 day), or cron(0 3 ? * SUN *) for Sundays at three, UTC.",
        )


def _why_not(text: str) -> str:
    try:
        found = parse_schedule(text)
    except ScheduleRefused as refused:
        return str(refused)
    if found.is_due_again_within_an_hour():
        return (
            "runs less than an hour apart: one puts load on every idle node for a good part of an hour, "
            "and the next would wait for it"
        )
    if isinstance(found, Rate) and found.seconds > _LONGEST_DAYS * 86400:
        return f"a run every {found.seconds // 86400} days is none that anybody waits for"
    return ""


RULE = Rule(
    row=CheckRow(
        id="VAL-004",
        title="a schedule is one that EventBridge takes, at a pace that a cluster bears",
        what=(
            "`validation.schedule` is a rate (`rate(1 day)`, in the plural from two on) or the six fields of "
            "a cron expression in UTC, of whose day-of-month and day-of-week one is `?`. Runs are at least "
            f"an hour apart, so cron names one minute; a rate is at most {_LONGEST_DAYS} days."
        ),
        why=(
            "EventBridge refuses others in the middle of the deploy; a day that never comes would never run. "
            "A run puts load on every idle node for a good part of an hour, and one waits for the other: "
            "more often, the cluster would be under test all the time."
        ),
        fix="Mend the part that the message names.",
        by_hand="`aws events put-rule --name try --schedule-expression '…'` takes it or says why not.",
    ),
    check=check,
)
