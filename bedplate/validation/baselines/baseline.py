"""A stored baseline: the bandwidths of runs that an operator has accepted, and who may be held to which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bedplate.diagnosis.bandwidth_expectation import Accepted
from bedplate.hardware import NVLINK, InstanceType


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class BaselineFigure(_Frozen):
    """What one shape reached: GB/s of bus bandwidth (1e9 bytes a second) at one size."""

    pool: str
    instance_type: str
    efas: int = Field(ge=0, description="EFA devices of a node")
    collective: str
    path: Literal["nvlink", "efa"]
    nodes: int = Field(ge=1)
    size_bytes: int = Field(ge=1)
    gb_per_s: float = Field(gt=0)


class Baseline(_Frozen):
    """All figures of one environment. ``runs`` are the runs that they come from, ``reason`` is the
    operator's; ``versions`` is the software of the nodes then, where all agreed.
    """

    version: Literal[1] = 1
    environment: str
    account: str
    region: str
    simulated: bool
    accepted_at: str
    reason: str
    runs: list[str]
    versions: dict[str, str] = Field(default_factory=dict)
    figures: list[BaselineFigure]

    def accepted(
        self, *, pool: str, hardware: InstanceType, collective: str, path: str, nodes: int
    ) -> tuple[tuple[int, Accepted], ...]:
        """(size, figure) for a run of this shape: as published figures, one for N nodes holds over EFA for 2
        to N, and over NVLink for N alone; the nearest counts.
        """
        found: dict[int, BaselineFigure] = {}
        for figure in self._holding(pool, hardware, collective, path, nodes):
            known = found.get(figure.size_bytes)
            if known is None or figure.nodes < known.nodes:
                found[figure.size_bytes] = figure
        source = f"run {', '.join(self.runs)}, accepted {self.accepted_at}: {self.reason}"
        return tuple(
            (size, Accepted(figure.gb_per_s, figure.nodes, source)) for size, figure in sorted(found.items())
        )

    def _holding(
        self, pool: str, hardware: InstanceType, collective: str, path: str, nodes: int
    ) -> Iterable[BaselineFigure]:
        wanted = (pool, hardware.name, hardware.efa_count, collective, path)
        for each in self.figures:
            same = (each.pool, each.instance_type, each.efas, each.collective, each.path) == wanted
            if same and (each.nodes == nodes if path == NVLINK or nodes < 2 else nodes <= each.nodes):
                yield each
