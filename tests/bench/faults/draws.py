"""Which run breaks what: made from its number alone, so that any run can be had again by it.

The kinds are the fleet's own table (``bedplate.sandbox.fleet.fault.KINDS``) and the combinations its own
scenarios: what is added there is drawn here without a change.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.hardware import instance_type as find_type
from bedplate.sandbox.fleet.fault import KINDS, Fault, make_fault
from bedplate.sandbox.fleet.faults import FaultPlan, draw

# (type, nodes): every type whose collectives the fleet can play, even and odd numbers of nodes.
CLUSTERS = (
    ("p5en.48xlarge", 4),
    ("p5en.48xlarge", 8),
    ("p5.48xlarge", 4),
    ("p5e.48xlarge", 5),
    ("p6-b200.48xlarge", 4),
    ("p6-b300.48xlarge", 4),
)
PER_CLUSTER = 25
"""Runs in a row on one booted cluster."""
DCGM_LEVEL = 2
"""The level that the validation asks for: what only a higher one shows is not looked for."""
# Slower than what the relative rule lets pass (0.9 of the peers' median), with a margin for noise.
_FASTEST_FAULT = 0.7


NOT_DRAWN: Mapping[str, str] = {
    "imex-down": "only UltraServers have IMEX domains, and none of these clusters is one",
    "slow-together": "pairs do not show it; tests/bench/faults/test_faults_trigger_checks.py plays it",
    "gpu-other-model": "GPU-001 alone tells it; tests/bench/faults/test_faults_trigger_checks.py plays it",
    "leaf-slow": "it needs several leaves and EC2's topology, which `make bench-fabric` plays",
}
"""Kinds that nothing here can show, and why; they are tried elsewhere."""
THROTTLED = "api-throttled"
"""Not a fault of the fleet: from some question on AWS throttles every call, until all retries are used up."""
DRAWN = (*sorted(set(KINDS) - set(NOT_DRAWN)), THROTTLED)
_QUESTIONS = 5


@dataclass(frozen=True)
class Run:
    """One run: ``number`` from 0, and what it is of."""

    number: int
    seed: str
    instance_type: str
    size: int

    def plan(self) -> FaultPlan:
        """A tenth of the runs is healthy, four tenths are the fleet's scenarios, the rest one fault each."""
        chance = self._chance()
        if self.number % 10 == 0 or self._single == THROTTLED:
            return FaultPlan(seed=self._noise, faults=())
        if self._single is None:
            drawn = draw(chance.randrange(10**9), nodes=self.size)
            return FaultPlan(seed=self._noise, faults=drawn.faults)
        return FaultPlan(seed=self._noise, faults=(self._one(self._single, chance),))

    @property
    def throttled_after(self) -> int | None:
        """How many questions AWS lets through before it throttles all; None where it does not."""
        return self._chance().randrange(_QUESTIONS) if self._single == THROTTLED else None

    @property
    def _single(self) -> str | None:
        """The kind of a run with one fault."""
        sort = self.number % 10
        return None if sort < 5 else DRAWN[(self.number // 10 * 5 + sort - 5) % len(DRAWN)]

    def _chance(self) -> random.Random:
        return random.Random(f"bedplate-proof-{self.seed}-{self.number}")

    @property
    def _noise(self) -> str:
        return f"{self.seed}-{self.number}"

    def _one(self, cause: str, chance: random.Random) -> Fault:
        """One fault of a kind with details drawn over their whole range, as far as the type has them."""
        kind = KINDS[cause]
        ends = chance.sample(range(self.size), 2)
        detail = self._detail(cause, chance)
        if "peer_index" in detail:
            detail["peer_index"] = ends[1]
        index = None if kind.scope in ("cluster", "half") else ends[0]
        return make_fault({"cause": cause, "node_index": index, "detail": detail})

    def _detail(self, cause: str, chance: random.Random) -> dict[str, float]:
        detail: dict[str, float] = {}
        for name, field in KINDS[cause].fields.items():
            low, high = field.low, min(field.high, self._largest.get(name, field.high))
            if name == "speed":
                high = min(high, _FASTEST_FAULT)
            detail[name] = (
                chance.randint(int(low), int(high)) if field.whole else round(chance.uniform(low, high), 3)
            )
        return detail

    @property
    def _largest(self) -> Mapping[str, float]:
        hardware = find_type(self.instance_type)
        return {
            "gpu": hardware.gpus - 1,
            "device": hardware.efa_count - 1,
            "links": hardware.gpu.nvlinks or 1,
            "level": DCGM_LEVEL,
        }


def run_of(number: int, *, seed: str) -> Run:
    """The run of a number: clusters take turns, ``PER_CLUSTER`` runs each."""
    kind, size = CLUSTERS[number // PER_CLUSTER % len(CLUSTERS)]
    return Run(number, seed, kind, size)
