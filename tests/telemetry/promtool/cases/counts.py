"""What should be there and is not."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import Series, both, gpu, node

_ON = "train-1 (i-0a1)"
_EXPECTED = both("bedplate_expected_gpus", 8)
_DCGM, _NODE = both("up", 1, job="dcgm"), both("up", 1, job="node")


def _temperatures(count: int) -> tuple[Series, ...]:
    """Of eight GPUs, of which the last are gone after the fault."""
    return tuple(
        gpu("DCGM_FI_DEV_GPU_TEMP", 60, 60 if index < count else "_", gpu=str(index)) for index in range(8)
    )


CASES = (
    Case(
        alert="GpuMissing",
        # A series that is gone is stale after five minutes in promtool; a real scrape ends it at once.
        faulty=(*_temperatures(6), _EXPECTED, _DCGM),
        after_minutes=8,
        summary=f"{_ON} lacks 2 of its GPUs.",
        silent={
            "an exporter that is down, which is another alert": (
                *_temperatures(0),
                _EXPECTED,
                node("up", 1, 0, job="dcgm"),
            ),
        },
    ),
    Case(
        alert="GpuMissing",
        faulty=(*_temperatures(0), _EXPECTED, _DCGM),
        after_minutes=8,
        summary=f"{_ON} lacks 8 of its GPUs.",
    ),
    Case(
        alert="GpuExporterDown",
        faulty=(node("up", 1, 0, job="dcgm"), _NODE, _EXPECTED),
        after_minutes=5,
        summary=f"{_ON} answers, but its GPU exporter does not.",
        labels={},
        blip=4,
        silent={
            "the whole node is down": (node("up", 1, 0, job="dcgm"), node("up", 1, 0, job="node"), _EXPECTED),
            "a node without GPUs": (_NODE, both("bedplate_expected_gpus", 0)),
            "another exporter is used everywhere": (_NODE, _EXPECTED),
        },
    ),
    Case(
        alert="GpuExporterDown",
        faulty=(node("up", 1, "_", job="dcgm"), _NODE, _EXPECTED),
        after_minutes=10,
        summary=f"{_ON} answers, but its GPU exporter does not.",
    ),
    Case(
        alert="NodeExporterDown",
        faulty=(node("up", 1, 0, job="node"), _DCGM),
        after_minutes=10,
        summary=f"{_ON} answers, but its node exporter does not.",
        blip=9,
        silent={"the whole node is down": (node("up", 1, 0, job="dcgm"), node("up", 1, 0, job="node"))},
    ),
    Case(
        alert="EfaMissing",
        faulty=(node("bedplate_efas", 16, 15), both("bedplate_expected_efas", 16)),
        after_minutes=5,
        summary=f"{_ON} has 15 EFA devices, fewer than it was launched with.",
        blip=4,
    ),
)
