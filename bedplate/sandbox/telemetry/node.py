"""One simulated node as its exporters see it at one moment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from bedplate.sandbox.fleet.truth import NodeTruth
from bedplate.sandbox.telemetry.situation import Situation
from bedplate.sandbox.telemetry.timeline import Stretch, Timeline


@dataclass(frozen=True)
class Job:
    """A job that has whole nodes."""

    job_id: str
    name: str
    account: str
    partition: str
    serves: str = ""
    """The server that it is (``vllm``, ``sglang``); empty where it trains."""


@dataclass(frozen=True)
class TelemetryNode:
    """``truth`` without effects: those are in the timeline. ``labels`` are what the agent adds."""

    truth: NodeTruth
    labels: tuple[tuple[str, str], ...]
    architecture: str = ""
    job: Job | None = None
    network_node: str = ""
    timeline: Timeline = field(default_factory=Timeline)

    def view(self, at_s: float, *, epoch_s: float) -> View:
        """The node at a moment of the simulation, which began at ``epoch_s`` since 1970."""
        return View(self, at_s, epoch_s)


@dataclass(frozen=True)
class View:
    """The node at one moment."""

    node: TelemetryNode
    at_s: float
    epoch_s: float

    @cached_property
    def stretch(self) -> Stretch:
        """What holds now."""
        return self.node.timeline.at(self.at_s)

    @cached_property
    def truth(self) -> NodeTruth:
        """With the effects that hold now."""
        return replace(self.node.truth, effects=self.stretch.effects)

    @property
    def situation(self) -> Situation:
        """What the node is in now."""
        return self.stretch.situation

    @property
    def now_s(self) -> float:
        """Seconds since 1970."""
        return self.epoch_s + self.at_s

    @property
    def job(self) -> Job | None:
        """The job that has the node now."""
        return self.node.job if self.situation.at_work else None

    @property
    def hpc_job(self) -> str:
        """Its id, empty for none: Prometheus drops an empty label."""
        return self.job.job_id if self.job else ""

    def total(self, rate: Callable[[Stretch], float]) -> float:
        """What a counter shows that grows by ``rate`` a second."""
        return self.node.timeline.total(rate, self.at_s)

    def works(self, stretch: Stretch) -> bool:
        """Whether a job makes progress in a stretch: allocated, and no collective that hangs."""
        return (
            self.node.job is not None
            and stretch.situation.at_work
            and not stretch.situation.stalled
            and not stretch.effects.hangs
            and not stretch.effects.crashes
        )

    @property
    def is_working(self) -> bool:
        """Whether its job makes progress now."""
        return self.works(self.stretch)

    def jitter(self, *names: object) -> float:
        """Noise from -1 to 1, of the seed, the node, ``names`` and the second."""
        text = f"{self.truth.seed}|{self.truth.instance_id}|{names}|{int(self.at_s)}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") / 2**31 - 1
