"""Wall-clock times of whole commands, interleaved so that a busy moment of the machine falls on all."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]


OUTPUT = "{output}"


class BenchFailedError(Exception):
    """A measured command ended with an error, so its time means nothing."""


@dataclass(frozen=True)
class Command:
    """One command to time; ``env`` is added to this process's environment.

    ``OUTPUT`` in either stands for a fresh, empty folder: the CDK's validation slows with what lies there.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]


@dataclass(frozen=True)
class Times:
    """The seconds of each run of one command, by the wall's clock and of all processors together."""

    name: str
    seconds: tuple[float, ...]
    processor_seconds: tuple[float, ...] = ()

    @property
    def median_s(self) -> float:
        """The middle run."""
        return median(self.seconds)

    @property
    def spread_s(self) -> tuple[float, float]:
        """The fastest and the slowest run."""
        return min(self.seconds), max(self.seconds)


def interleaved(commands: Sequence[Command], *, runs: int, say: Callable[[str], None]) -> dict[str, Times]:
    """Time ``runs`` rounds of all commands in turn, after one round that is not counted.

    Raises ``BenchFailedError`` where a command exits with anything but 0.
    """
    seconds: dict[str, list[float]] = {command.name: [] for command in commands}
    processor: dict[str, list[float]] = {command.name: [] for command in commands}
    for number in range(runs + 1):
        for command in commands:
            before = _processor_seconds()
            taken = _run(command)
            if number:
                seconds[command.name].append(taken)
                processor[command.name].append(_processor_seconds() - before)
            say(f"{'warm-up' if not number else f'run {number}/{runs}'}  {command.name}  {taken:.2f} s")
    return {name: Times(name, tuple(seconds[name]), tuple(processor[name])) for name in seconds}


def _processor_seconds() -> float:
    """What all processes that were started from here and have ended took of the processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command: Command) -> float:
    with tempfile.TemporaryDirectory(prefix="bedplate-bench-") as folder:
        env = {**os.environ, **{k: v.replace(OUTPUT, folder) for k, v in command.env.items()}}
        argv = [part.replace(OUTPUT, folder) for part in command.argv]
        start = time.perf_counter()
        done = subprocess.run(
            argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
        )
        taken = time.perf_counter() - start
    if done.returncode:
        raise BenchFailedError(f"{command.name} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return taken
