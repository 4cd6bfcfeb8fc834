"""What befell one node, and when: a counter is what its rate made of each stretch of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bedplate.sandbox.fleet.effects import Effects
from bedplate.sandbox.telemetry.situation import HEALTHY, Situation


@dataclass(frozen=True)
class Stretch:
    """From ``from_s`` on, in seconds of the simulation, until the next stretch."""

    from_s: float
    effects: Effects = field(default_factory=Effects)
    situation: Situation = HEALTHY


@dataclass(frozen=True)
class Timeline:
    """At least one stretch, the first from 0, in order."""

    stretches: tuple[Stretch, ...] = (Stretch(0.0),)

    def at(self, at_s: float) -> Stretch:
        """The stretch that holds at a moment."""
        return next((each for each in reversed(self.stretches) if each.from_s <= at_s), self.stretches[0])

    def until(self, at_s: float) -> tuple[Stretch, ...]:
        """The stretches that have begun by then."""
        return tuple(each for each in self.stretches if each.from_s <= at_s) or self.stretches[:1]

    def total(self, rate: Callable[[Stretch], float], at_s: float) -> float:
        """What something that grows by ``rate`` a second in each stretch has come to."""
        begun = self.until(at_s)
        ends = [*(each.from_s for each in begun[1:]), at_s]
        return sum(rate(each) * max(0.0, end - each.from_s) for each, end in zip(begun, ends, strict=True))

    def since(self, holds: Callable[[Stretch], bool], at_s: float) -> float | None:
        """When what holds now began to hold; None where it does not hold now."""
        began = None
        for each in self.until(at_s):
            if not holds(each):
                began = None
            elif began is None:
                began = each.from_s
        return began

    def then(self, stretch: Stretch) -> Timeline:
        """With one stretch more, in place of what was to come after its beginning."""
        before = tuple(each for each in self.stretches if each.from_s < stretch.from_s)
        return Timeline((*before, stretch))
