"""What reading a log of some size takes, beside ``wc -l`` on the same file; and what it may take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.logs.log_file import MEGABYTE, write_log
from tests.bench.timing import ROOT, BenchFailedError

MOST_GROWTH_MIB = 8.0
"""From the smallest log to the largest. Flat, but for what an allocator happens to keep."""
LEAST_MB_PER_S = 15.0
"""For each second of the processor. Half of what a quiet machine reads: a busy one is slower."""


@dataclass(frozen=True)
class Reading:
    """One log; seconds by the wall's clock and of the processor, memory in MiB above the idle process's."""

    megabytes: float
    lines: int
    wc_wall_s: float
    wc_processor_s: float
    wall_s: float
    processor_s: float
    peak_mib: float
    base_mib: float

    @property
    def mb_per_processor_s(self) -> float:
        """Megabytes (1e6 bytes) for each second of the processor."""
        return self.megabytes / max(self.processor_s, 1e-9)


def measure(*, megabytes: int, folder: Path) -> Reading:
    """Write a log under ``folder``, read it, remove it. ``BenchFailedError`` where it was not read whole."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="bench-logs-") as place:
        path = Path(place) / "nccl.log"
        write_log(path, megabytes=megabytes)
        wall, before = time.perf_counter(), os.times()
        counted = subprocess.run(["wc", "-l", str(path)], check=True, capture_output=True, text=True)
        wc_wall, after = time.perf_counter() - wall, os.times()
        read = subprocess.run(
            [sys.executable, "-m", "tests.bench.logs.reader", str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        size = path.stat().st_size
    if read.returncode:
        raise BenchFailedError(f"a log of {megabytes} MB was not read whole: {read.stderr[-2000:]}")
    used = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return Reading(size / MEGABYTE, int(counted.stdout.split()[0]), wc_wall, used, **json.loads(read.stdout))


def broken_bounds(readings: Sequence[Reading], *, least_mb_per_s: float = LEAST_MB_PER_S) -> list[str]:
    """Which bounds the readings, rising in size, do not keep, in words; none where all is well."""
    found = [
        f"{each.megabytes:.0f} MB: {each.mb_per_processor_s:.1f} MB for each second of the processor, "
        f"{least_mb_per_s:g} are the least"
        for each in readings
        if each.mb_per_processor_s < least_mb_per_s
    ]
    grown = readings[-1].peak_mib - readings[0].peak_mib
    if grown > MOST_GROWTH_MIB:
        found.append(
            f"peak memory grew by {grown:.1f} MiB from {readings[0].megabytes:.0f} to "
            f"{readings[-1].megabytes:.0f} MB, {MOST_GROWTH_MIB:g} MiB are the most"
        )
    return found
