"""Blocks of Prometheus for a large simulated fleet: the history that the rules read, and no more."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from bedplate.sandbox.telemetry.fleet import FleetPlan, TelemetryFleet
from bedplate.sandbox.telemetry.targets import answer, targets
from bedplate.telemetry.exposition import Sample
from bedplate.telemetry.metrics.catalogue import SAMPLES

INTERVAL_S = 30
"""What lies between two samples on a node."""
AT_S = 1_800_000_000 + 6_600
"""The moment of the evaluation, near the end of a block of two hours."""
_BLOCK_S = 7_200
_FIRST_S, _SECOND_S = 100_000.0, 100_030.0
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Filled:
    """What was put into the blocks."""

    nodes: int
    gpus: int
    series: int
    samples: int


def fill(folder: Path, *, nodes: int, back_s: Mapping[str, int]) -> Filled:
    """Write blocks into ``folder`` with the metrics of ``back_s``, each as far back as it says."""
    folder.mkdir(parents=True, exist_ok=True)
    fleet = TelemetryFleet(
        FleetPlan(environment="bench", cluster="bench", nodes=nodes), epoch_s=AT_S - _SECOND_S
    )
    near, far = folder / "near.om", folder / "far.om"
    series = samples = 0
    with near.open("w", encoding="utf-8") as near_file, far.open("w", encoding="utf-8") as far_file:
        for name, labels, before, now in _series(fleet, back_s):
            back = back_s[name]
            # A file is read once for each block that it touches: the few that go far back have their own.
            file = near_file if back < AT_S % _BLOCK_S else far_file
            rise = 0.0 if SAMPLES[name].kind == "gauge" else now - before
            samples += _write(file, name, labels, now=now, rise=rise, back_s=back)
            series += 1
        for file in (near_file, far_file):
            file.write("# EOF\n")
    for path in (near, far):
        _make_blocks(path, folder / "data")
        path.unlink()
    return Filled(nodes=nodes, gpus=8 * nodes, series=series, samples=samples)


def _series(fleet: TelemetryFleet, wanted: Mapping[str, int]) -> Iterator[tuple[str, str, float, float]]:
    """(name, labels as text, value one interval ago, value now) of each series that is wanted."""
    for target in targets(fleet):
        shared = (("job", target.job), ("instance", target.path), *target.labels)
        earlier = {(each.name, each.labels): each.value for each in answer(fleet, target.path, at_s=_FIRST_S)}
        if "up" in wanted:
            yield "up", _text(shared), 1.0, 1.0
        for name, value in (("scrape_duration_seconds", 0.1), ("scrape_samples_scraped", 850.0)):
            if name in wanted:
                yield name, _text(shared), value, value
        for each in answer(fleet, target.path, at_s=_SECOND_S):
            if each.name in wanted:
                yield each.name, _text((*shared, *_shown(each))), earlier.get(_key(each), 0.0), each.value


def _key(each: Sample) -> tuple[str, Labels]:
    return each.name, each.labels


def _shown(each: Sample) -> Labels:
    return tuple(pair for pair in each.labels if pair[1])


def _text(labels: Labels) -> str:
    return ",".join(f'{name}="{value}"' for name, value in labels)


def _write(file: TextIO, name: str, labels: str, *, now: float, rise: float, back_s: int) -> int:
    """A gauge stays, a counter grows as it does now."""
    steps = back_s // INTERVAL_S + 1
    lines = [
        f"{name}{{{labels}}} {max(now - rise * step, 0.0):.10g} {AT_S - step * INTERVAL_S}\n"
        for step in range(steps - 1, -1, -1)
    ]
    file.writelines(lines)
    return steps


def _make_blocks(path: Path, data: Path) -> None:
    argv = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet", str(path), str(data)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr[-2000:]}")
