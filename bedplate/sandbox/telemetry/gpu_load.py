"""What a GPU does under the simulated load, and what faults make of it. Figures are invented, in the range of
a training job that is limited by its matrix units.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.timeline import Stretch

# Part of the model's name → (PCIe generation, W, highest SM clock, memory clock in MHz).
_PARTS = {
    "H100": (5, 700.0, 1980.0, 2619.0),
    "H200": (5, 700.0, 1980.0, 3201.0),
    "GB200": (5, 1200.0, 2062.0, 3996.0),
    "B200": (5, 1000.0, 1965.0, 3996.0),
    "B300": (6, 1100.0, 1920.0, 3996.0),
}
_USUAL = (4, 400.0, 1410.0, 1593.0)
THROTTLED = 0.55
"""Share of its clock that a GPU keeps which slows itself down, and of its time that it is slowed down."""
NVLINK_BYTES_PER_S = 120e9
PCIE_BYTES_PER_S = 4e9


@dataclass(frozen=True)
class Part:
    """What the GPU's model is built for."""

    pcie_generation: int
    watts: float
    sm_mhz: float
    memory_mhz: float


def part_of(view: View) -> Part:
    """By the name of the model."""
    model = view.truth.hardware.gpu_model
    return Part(*next((row for name, row in _PARTS.items() if name in model), _USUAL))


def clock_share(stretch: Stretch, gpu: int) -> float:
    """The share of the highest SM clock that it runs at under load."""
    effects = stretch.effects
    share = dict(effects.slow_gpus).get(gpu, 1.0)
    if gpu in effects.throttled_gpus or stretch.situation.power_brake:
        share = min(share, THROTTLED)
    if gpu in effects.power_limited:
        share = min(share, 0.7)
    if stretch.situation.slow_clock_gpu == gpu:
        share = min(share, 0.6)
    return share


def nvlink_share(stretch: Stretch, gpu: int, *, links: int) -> float:
    """The share of its NVLink traffic that it carries."""
    down = sum(count for index, count in stretch.effects.nvlinks_down if index == gpu)
    return stretch.effects.nvlink_speed * (1 - min(down, links) / links if links else 0.0)


def nvlink_recoveries(stretch: Stretch, gpu: int) -> float:
    """A second: a link that fails is trained anew before it is given up, one with errors again and again."""
    if gpu in stretch.effects.repairing_gpus:
        return 0.5
    return 0.2 if any(index == gpu for index, _ in stretch.effects.nvlinks_down) else 0.0
