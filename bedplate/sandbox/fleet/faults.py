"""The faults of a run: read from a file, or drawn from a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bedplate.sandbox.fleet.errors import FaultsRefused
from bedplate.sandbox.fleet.fault import Fault, make_fault


@dataclass(frozen=True)
class FaultPlan:
    """What to break. ``seed`` also seeds the noise of every measurement, so that a run can be repeated
    exactly.
    """

    seed: str
    faults: tuple[Fault, ...] = ()

    @classmethod
    def from_json(cls, data: Any) -> FaultPlan:
        """From ``{"seed": …, "faults": [{"cause", "node_index", "detail"}]}``. Raises ``FaultsRefused``."""
        if not isinstance(data, Mapping) or set(data) - {"seed", "faults"} or "faults" not in data:
            raise FaultsRefused("a faults file is a mapping with the keys seed and faults")
        entries = data["faults"]
        if not isinstance(entries, list):
            raise FaultsRefused(f"faults is {entries!r}; a list is allowed")
        faults = tuple(make_fault(entry, f"faults[{i}]") for i, entry in enumerate(entries))
        return cls(seed=str(data.get("seed", "default")), faults=faults)

    @classmethod
    def load(cls, path: Path) -> FaultPlan:
        """Read a faults file. Raises ``FaultsRefused`` where it is not there, no JSON, or not valid."""
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise FaultsRefused(f"{path} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise FaultsRefused(f"{path} is no JSON: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """As the faults file holds it."""
        return {"seed": self.seed, "faults": [fault.to_json() for fault in self.faults]}

    def save(self, path: Path) -> None:
        """Write the faults file."""
        path.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")


NO_FAULTS = FaultPlan(seed="none")


def draw(seed: int | Literal["default"], *, nodes: int) -> FaultPlan:
    """Draw the faults of a fleet of ``nodes`` compute nodes; the same seed and size give the same faults.

    ``"default"`` gives the demo's three: a lost EFA device, XID 64, and an EFA device that is slow between
    nodes only. The rules that keep every drawn scenario decidable are in
    ``bedplate.sandbox.fleet.scenarios``.
    """
    from bedplate.sandbox.fleet.scenarios import scenario

    return FaultPlan(seed=str(seed), faults=scenario(seed, nodes=nodes))
