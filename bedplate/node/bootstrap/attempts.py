"""Do something that may not work yet: bounded attempts with growing pauses."""

from __future__ import annotations

from typing import Callable, Sequence

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.process import STOP

SHORT_PAUSES = (2.0, 5.0, 10.0)
LONG_PAUSES = (5.0, 10.0, 20.0, 40.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0)
"""Seven minutes between eleven attempts: for what another service may still be making."""


def must(host: Host, *argv: str, seconds: float = 60.0) -> Ran:
    """Run a program that must end with 0. Raises ``StepFailedError`` with its last words."""
    ran = host.run(*argv, seconds=seconds)
    if not ran.ok:
        raise StepFailedError(f"`{' '.join(argv)}`: {_status(ran)}: {ran.last_words}")
    return ran


def retry(host: Host, attempt: Callable[[], Ran], *, pauses: Sequence[float]) -> Ran:
    """Repeat ``attempt`` until it ends with 0, pauses or budget are used up, or we are told to end; the last
    run.
    """
    ran = attempt()
    for number, pause in enumerate(pauses, start=1):
        if ran.ok or host.remaining_seconds <= 0 or STOP.is_set():
            return ran
        host.log.say(f"attempt {number} failed ({ran.last_words}); the next in {pause:g} s")
        host.pause(pause)
        ran = attempt()
    return ran


def must_retry(host: Host, *argv: str, seconds: float, pauses: Sequence[float]) -> Ran:
    """``must`` with ``retry``."""
    ran = retry(host, lambda: host.run(*argv, seconds=seconds), pauses=pauses)
    if not ran.ok:
        raise StepFailedError(f"`{' '.join(argv)}`: {_status(ran)}: {ran.last_words}")
    return ran


def _status(ran: Ran) -> str:
    return ran.problem if ran.rc is None else f"status {ran.rc}"
