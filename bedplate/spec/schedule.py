"""EventBridge's schedule expressions: ``rate(…)`` and the six fields of ``cron(…)``, in UTC.

Sources: EventBridge User Guide, "Setting a schedule pattern for scheduled rules (legacy)" and "Rate
expressions reference"; PutRule's reference for the length; aws/aws-sdk-js #4212 for a step that is too wide.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
_MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_DAYS = {name: number for number, name in enumerate(_DAY_NAMES, start=1)}
_NO_NAMES: Mapping[str, int] = {}
FIELDS = (
    ("minutes", 0, 59, _NO_NAMES),
    ("hours", 0, 23, _NO_NAMES),
    ("day-of-month", 1, 31, _NO_NAMES),
    ("month", 1, 12, _MONTHS),
    ("day-of-week", 1, 7, _DAYS),
    ("year", 1970, 2199, _NO_NAMES),
)
"""Name, least, greatest, and the names that stand for numbers."""
_FURTHEST = timedelta(days=366 * 8)
_LONGEST_TEXT = 256
_HOUR_SECONDS = 3600


class ScheduleRefused(ValueError):
    """EventBridge would not take the expression; the text says which part of it."""


@dataclass(frozen=True)
class Rate:
    """Every so many seconds."""

    seconds: int

    def next_after(self, moment: datetime) -> datetime | None:
        """A period later; None where the calendar ends before."""
        try:
            return moment + timedelta(seconds=self.seconds)
        except OverflowError:
            return None

    def is_due_again_within_an_hour(self) -> bool:
        """Whether two runs are less than an hour apart."""
        return self.seconds < _HOUR_SECONDS


@dataclass(frozen=True)
class Cron:
    """The texts of the six fields."""

    fields: tuple[str, ...]

    def next_after(self, moment: datetime) -> datetime | None:
        """The next whole minute (UTC) at which it is due; None where there is none within eight years."""
        at = moment.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = at + _FURTHEST
        minutes, hours = (self._numbers(index) for index in (0, 1))
        while at < end:
            if not self._day_is_due(at):
                at = (at + timedelta(days=1)).replace(hour=0, minute=0)
            elif at.hour not in hours:
                at = (at + timedelta(hours=1)).replace(minute=0)
            elif at.minute not in minutes:
                at += timedelta(minutes=1)
            else:
                return at
        return None

    def is_due_again_within_an_hour(self) -> bool:
        """Whether two runs are less than an hour apart: they are where more than one minute is named."""
        return len(self._numbers(0)) > 1

    def _day_is_due(self, day: datetime) -> bool:
        if day.month not in self._numbers(3) or day.year not in self._numbers(5):
            return False
        of_month, of_week = self.fields[2], self.fields[4]
        if of_week == "?":
            return any(_is_day_of_month(part, day) for part in of_month.split(","))
        return any(_is_day_of_week(part, day) for part in of_week.split(","))

    def _numbers(self, index: int) -> set[int]:
        _, least, greatest, names = FIELDS[index]
        return {
            number
            for part in self.fields[index].split(",")
            for number in _range(part, least, greatest, names)
        }


def parse_schedule(text: str) -> Rate | Cron:
    """Read an expression. Raises ``ScheduleRefused``."""
    if len(text) > _LONGEST_TEXT:
        raise ScheduleRefused(f"it has {len(text)} characters, and EventBridge takes {_LONGEST_TEXT}")
    kind, _, rest = text.partition("(")
    inside = rest.removesuffix(")")
    if inside != inside.strip():
        raise ScheduleRefused("there is a space beside a bracket")
    if kind == "rate" and rest.endswith(")"):
        return _rate(inside)
    if kind == "cron" and rest.endswith(")"):
        return _cron(inside)
    raise ScheduleRefused("it is neither rate(…) nor cron(…)")


def _rate(inside: str) -> Rate:
    match = re.fullmatch(r"([1-9][0-9]*) (minute|hour|day)(s?)", inside)
    if match is None:
        raise ScheduleRefused(f"{inside!r} is not a number and minutes, hours or days")
    count = int(match[1])
    if (count == 1) == bool(match[3]):
        word = match[2] if count == 1 else f"{match[2]}s"
        raise ScheduleRefused(f"EventBridge wants `{count} {word}`, not `{inside}`")
    return Rate(count * _UNITS[match[2]])


def _cron(inside: str) -> Cron:
    fields = tuple(field.upper() for field in inside.split())
    if len(fields) != len(FIELDS):
        raise ScheduleRefused(
            f"cron has six fields ({', '.join(row[0] for row in FIELDS)}), not {len(fields)}"
        )
    if (fields[2] == "?") == (fields[4] == "?"):
        raise ScheduleRefused("of day-of-month and day-of-week exactly one is `?`")
    for text, (name, least, greatest, names) in zip(fields, FIELDS, strict=True):
        if "," in text and ("?" in text or "#" in text):
            raise ScheduleRefused(f"{name}: `?` and `#` stand alone, not in a list such as {text!r}")
        for part in text.split(","):
            _check_part(part, name, least, greatest, names)
    cron = Cron(fields)
    if cron.next_after(datetime.now(UTC)) is None:
        raise ScheduleRefused("no such day comes within eight years")
    return cron


def _check_part(part: str, name: str, least: int, greatest: int, names: Mapping[str, int]) -> None:
    if part == "?" and name in ("day-of-month", "day-of-week"):
        return
    if name == "day-of-month" and re.fullmatch(r"L|LW|([1-9]|[12][0-9]|3[01])W", part):
        return
    if name == "day-of-week" and re.fullmatch(rf"([1-7]|{'|'.join(_DAYS)})(L|#[1-5])|L", part):
        return
    if name == "day-of-week" and "/" in part:
        raise ScheduleRefused(f"{name}: EventBridge knows no steps here, such as {part!r}")
    if not _range(part, least, greatest, names):
        raise ScheduleRefused(f"{name}: {part!r} is not within {least} to {greatest}")


def _range(part: str, least: int, greatest: int, names: Mapping[str, int]) -> range:
    """The numbers of one part of a field; empty for what is none."""
    span, slash, step = part.partition("/")
    if slash and not 1 <= (_number(step, _NO_NAMES) or 0) <= greatest:
        return range(0)
    first, dash, last = span.partition("-")
    low = least if span == "*" else _number(first, names)
    high = greatest if span == "*" or (slash and not dash) else _number(last if dash else first, names)
    if low is None or high is None or not least <= low <= high <= greatest:
        return range(0)
    return range(low, high + 1, int(step) if slash else 1)


def _number(text: str, names: Mapping[str, int]) -> int | None:
    if text in names:
        return names[text]
    return int(text) if text.isascii() and text.isdecimal() else None


def _is_day_of_month(part: str, day: datetime) -> bool:
    last = monthrange(day.year, day.month)[1]
    if part == "L":
        return day.day == last
    if part.endswith("W"):
        wanted = last if part == "LW" else min(int(part[:-1]), last)
        return day.day == _nearest_weekday(day, wanted, last)
    return day.day in _range(part, 1, 31, _NO_NAMES)


def _nearest_weekday(day: datetime, wanted: int, last: int) -> int:
    weekday = day.replace(day=wanted).weekday()
    if weekday == 5:  # Saturday: the Friday before, unless that is in another month
        return wanted - 1 if wanted > 1 else wanted + 2
    if weekday == 6:
        return wanted + 1 if wanted < last else wanted - 2
    return wanted


def _is_day_of_week(part: str, day: datetime) -> bool:
    number = day.isoweekday() % 7 + 1  # EventBridge: 1 is Sunday
    if part == "L":
        return number == 7
    if part.endswith("L"):
        ends = day.day + 7 > monthrange(day.year, day.month)[1]
        return number == _number(part[:-1], _DAYS) and ends
    if "#" in part:
        name, _, nth = part.partition("#")
        return number == _number(name, _DAYS) and (day.day - 1) // 7 + 1 == int(nth)
    return number in _range(part, 1, 7, _DAYS)
