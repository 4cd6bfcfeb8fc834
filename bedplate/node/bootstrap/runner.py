"""How the bootstrap starts programs: one narrow door, so that tests can stand in for the machine."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Optional, Protocol, Sequence, Tuple

from bedplate.node.process import Limits, run_tool

OUTPUT_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True)
class Ran:
    """One run: ``rc`` is None where it did not start or was stopped, and ``problem`` says why."""

    argv: Tuple[str, ...]
    rc: Optional[int]
    stdout: str = ""
    stderr: str = ""
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.rc == 0

    @property
    def last_words(self) -> str:
        """The last line that it printed, standard error first; or why it was stopped."""
        for text in (self.stderr, self.stdout):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            if lines:
                return lines[-1][:300]
        return self.problem or "it printed nothing"


class Runner(Protocol):
    """Starts programs of the node."""

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Run to the end, or stop it after ``seconds``; never raises for what the program does."""

    def has(self, program: str) -> bool:
        """Whether the program is on the PATH."""


class ProcessRunner:
    """The real one: a process group of its own, bounded time and output."""

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Run to the end, or stop it after ``seconds``."""
        ran = run_tool(argv=argv, limits=Limits(seconds, OUTPUT_LIMIT_BYTES))
        return Ran(tuple(argv), ran.rc, ran.stdout, ran.stderr, ran.problem)

    def has(self, program: str) -> bool:
        """Whether the program is on the PATH."""
        return shutil.which(program) is not None
