"""Fires rules whose schedule is due; the first time counts from when a rule was first seen."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from bedplate.sandbox.builds.bus import EventBus
from bedplate.spec.schedule import ScheduleRefused, parse_schedule

TICK_SECONDS = 5.0


class ScheduleClock:
    """Looks every few seconds which rules are due."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._due: dict[tuple[str, str], datetime | None] = {}
        self._stop = threading.Event()

    def start(self) -> None:
        """Look from a thread of its own until ``stop``."""
        threading.Thread(target=self._look, name="schedules", daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def tick(self, now: datetime) -> None:
        """Fire what is due at ``now``; what is seen for the first time is due a period later."""
        for rule, expression in self._bus.scheduled_rules():
            key = (rule.arn, expression)
            due = self._due.get(key)
            if key not in self._due:
                self._due[key] = _next(expression, now)
            elif due is not None and due <= now:
                self._due[key] = _next(expression, now)
                self._bus.fire(rule)

    def _look(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            self.tick(datetime.now(UTC))


def _next(expression: str, now: datetime) -> datetime | None:
    try:
        return parse_schedule(expression).next_after(now)
    except ScheduleRefused:
        return None
