"""Thresholds of panels as data: from which value on a figure has which colour, and who says so."""

from __future__ import annotations

from dataclasses import dataclass

from grafana_foundation_sdk.builders.dashboard import ThresholdsConfig
from grafana_foundation_sdk.models.dashboard import Threshold, ThresholdsMode

from bedplate.telemetry.file_system_alarms import NETWORK_BUSY, OST_FILLING, OST_FULL
from bedplate.telemetry.file_system_alarms import OST_SPACE as _OST_SPACE
from bedplate.telemetry.metrics.efa import AWS_BAD_RATES

CALM, GOOD, WARNING, BAD = "text", "green", "orange", "red"


@dataclass(frozen=True, kw_only=True)
class Levels:
    """``base`` is the colour below the first step; ``steps`` are (from this value on, colour), rising.
    ``source`` says whose figures they are: ``ours`` for a choice of Bedplate's that no vendor states.
    """

    base: str
    steps: tuple[tuple[float, str], ...]
    source: str

    def build(self) -> ThresholdsConfig:
        """What a panel takes."""
        first = Threshold(color=self.base, value=None)
        later = [Threshold(color=colour, value=float(value)) for value, colour in self.steps]
        return ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps([first, *later])


PLAIN = Levels(base=CALM, steps=(), source="none")
"""A figure that is neither good nor bad."""
NONE_IS_GOOD = Levels(base=GOOD, steps=((1, BAD),), source="a fault is one too many")
NONE_IS_CALM = Levels(base=GOOD, steps=((1, WARNING),), source="to be looked at, not at night")
ONE_IS_GOOD = Levels(base=BAD, steps=((1, GOOD),), source="1 says that it is so")
NEAR_SLOWDOWN = Levels(base=GOOD, steps=((0.9, WARNING), (0.98, BAD)), source="ours, as the alert has it")
THROTTLED = Levels(base=GOOD, steps=((0.01, WARNING), (0.05, BAD)), source="ours, as the alert has it")
FSX_LIMIT = Levels(base=GOOD, steps=((NETWORK_BUSY.threshold, BAD),), source="ours, as the alarm has it")
OST_SPACE = Levels(base=BAD, steps=((_OST_SPACE.threshold, GOOD),), source="ours, as the alarm has it")
OST_USED = Levels(
    base=GOOD,
    steps=((OST_FILLING.threshold, WARNING), (OST_FULL.threshold, BAD)),
    source="ours, as the alarms have it",
)
FREE_SHARE = Levels(base=BAD, steps=((0.05, WARNING), (0.1, GOOD)), source="ours, as the alert has it")
CLOCK_OFFSET = Levels(base=GOOD, steps=((0.05, BAD),), source="ours, as the alert has it")
STALE_FILE = Levels(base=GOOD, steps=((120, WARNING), (600, BAD)), source="ours: the timer's period is 30 s")
IDLE_SHARE = Levels(base=GOOD, steps=((0.1, WARNING), (0.5, BAD)), source="ours")
ACTIVITY = Levels(base=BAD, steps=((0.05, WARNING), (0.3, GOOD)), source="ours")
BEHIND = Levels(base=BAD, steps=((0.8, WARNING), (0.95, GOOD)), source="ours, as the alert has it")
TIME_LEFT = Levels(base=BAD, steps=((3600, WARNING), (86400, GOOD)), source="ours")
VALIDATION_AGE = Levels(base=GOOD, steps=((86400, WARNING), (7 * 86400, BAD)), source="ours")


def bad_efa_rate(counter: str) -> Levels:
    """From which rate a second AWS's own node agent calls a counter of EFA bad."""
    return Levels(
        base=GOOD,
        steps=((AWS_BAD_RATES[counter], BAD),),
        source="aws/eks-node-monitoring-agent: monitors/networking/efa/efa.go",
    )
