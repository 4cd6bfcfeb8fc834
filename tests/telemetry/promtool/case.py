"""One alert on trial: what makes it fire, when, with which words, and what must not."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.telemetry.promtool.series import Series


@dataclass(frozen=True, kw_only=True)
class Case:
    """``faulty`` turn at the fault; the alert fires ``after_minutes`` later, not a minute before.

    ``summary`` is the text that people read; ``labels`` are those of the alert beside its place.
    ``silent`` are inputs under which it never fires, each beside what it is. Where ``blip`` is given, a fault
    of so many minutes is not told.
    """

    alert: str
    faulty: tuple[Series, ...]
    after_minutes: int
    summary: str
    labels: dict[str, str] = field(default_factory=dict)
    silent: dict[str, tuple[Series, ...]] = field(default_factory=dict)
    blip: int | None = None
