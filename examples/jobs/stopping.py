"""The signal by which the job script asks for a last checkpoint. Standard library only."""

from __future__ import annotations

import signal
from types import FrameType


class StopRequest:
    """``asked`` is true once SIGUSR1 has come to this process; other ranks may not have it yet."""

    def __init__(self) -> None:
        self.asked = False
        signal.signal(signal.SIGUSR1, self._take)
        # What a library is sending or reading meanwhile goes on, instead of ending half-way.
        signal.siginterrupt(signal.SIGUSR1, False)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
