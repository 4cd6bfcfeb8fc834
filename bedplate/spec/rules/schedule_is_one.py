"""VAL-004: a schedule is one that EventBridge takes."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation
from bedplate.spec.schedule import ScheduleRefused, parse_schedule


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse an expression that EventBridge would refuse in the deploy."""
    if draft.schedule is None:
        return
    try:
        parse_schedule(draft.schedule)
    except ScheduleRefused as refused:
        yield Violation(
            path=("validation", "schedule"),
            message=str(refused),
            allowed="rate(N minutes|hours|days), or cron(minutes hours day-of-month month day-of-week year)",
            remedy="Write for example rate(1 day), or cron(0 3 ? * SUN *) for Sundays at three, UTC.",
        )


RULE = Rule(
    row=CheckRow(
        id="VAL-004",
        title="a schedule is one that EventBridge takes",
        what=(
            "`validation.schedule` is a rate (`rate(1 day)`, in the plural from two on) or the six fields of "
            "a cron expression in UTC, of whose day-of-month and day-of-week one is `?`."
        ),
        why="EventBridge refuses others in the middle of the deploy; a day that never comes would never run.",
        fix="Mend the part that the message names.",
        by_hand="`aws events put-rule --name try --schedule-expression '…'` takes it or says why not.",
    ),
    check=check,
)
