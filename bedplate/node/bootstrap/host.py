"""The machine that is set up: its files, its programs and its time, each reached through here."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable, List, Optional

from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.runner import Ran, Runner

BUDGET_SECONDS = 1500.0
"""For all steps together. PCS gives a node about 30 minutes to join Slurm (PCS User Guide, "Best practices
for node lifecycle actions"); what is later than that is replaced whatever it has got done."""
_OUTPUT_KEPT = 2000


class Host:
    """One node. Paths are given as on the node; ``root`` stands before them, empty on a real one.

    ``pause_scale`` shortens every wait, for a machine on which nothing is worth waiting for.
    """

    def __init__(
        self,
        *,
        root: str,
        runner: Runner,
        log: BootLog,
        instance_id: str = "",
        budget_seconds: float = BUDGET_SECONDS,
        pause_scale: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.root = root
        self.log = log
        self.instance_id = instance_id
        self._runner = runner
        self._pause_scale = pause_scale
        self._clock = clock
        self._sleep = sleep
        self._end = clock() + budget_seconds

    @property
    def remaining_seconds(self) -> float:
        """What is left of the budget, never negative."""
        return max(0.0, self._end - self._clock())

    def path(self, absolute: str) -> Path:
        """Where a path of the node lies for this process."""
        return Path(self.root + absolute)

    def read(self, absolute: str) -> Optional[str]:
        """The text of a file, None where it cannot be read."""
        try:
            return self.path(absolute).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def names(self, absolute: str) -> List[str]:
        """The names in a folder, sorted; none where it is not there."""
        try:
            return sorted(each.name for each in self.path(absolute).iterdir())
        except OSError:
            return []

    def write(self, absolute: str, text: str, *, mode: int = 0o644) -> bool:
        """Make the file hold exactly ``text``; whole or not at all. Says whether that changed anything."""
        if self.read(absolute) == text:
            return False
        target = self.path(absolute)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.bedplate")
        partial.write_text(text, encoding="utf-8")
        partial.chmod(mode)
        partial.replace(target)
        self.log.say(f"wrote {absolute}")
        return True

    def has(self, program: str) -> bool:
        """Whether the program is on the PATH."""
        return self._runner.has(program)

    def run(self, *argv: str, seconds: float = 60.0) -> Ran:
        """Run a program for at most ``seconds`` and for no longer than the budget lasts; all is logged."""
        limit = min(seconds, self.remaining_seconds)
        if limit <= 0:
            ran = Ran(argv, None, problem="not started, for the time of the whole bootstrap is over")
        else:
            ran = self._runner.run(argv, limit)
        status = ran.problem if ran.rc is None else f"status {ran.rc}"
        words = ["(a program)" if "\n" in word else word for word in argv]
        self.log.say(f"$ {' '.join(words)} [{status}]")
        for text in (ran.stdout, ran.stderr):
            self.log.detail(text[-_OUTPUT_KEPT:])
        return ran

    def pause(self, seconds: float) -> None:
        """Wait, but not past the budget."""
        self._sleep(min(seconds, self.remaining_seconds) * self._pause_scale)
