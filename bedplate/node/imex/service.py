"""The service ``nvidia-imex``, by systemd, bounded in time."""

from __future__ import annotations

import time
from typing import Dict, Optional

from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool

UNIT = "nvidia-imex.service"
STOP_SECONDS = 5.0
"""AWS's prolog gives it 15. One that takes longer is killed: whom it notifies of its end is ended as well."""
_ASK_SECONDS = 3.0
_GRACE_SECONDS = 1.0
_STOPPED = ("inactive", "failed")


class Service:
    """``until`` is the moment of ``time.monotonic`` by which a start is to be over."""

    def __init__(self, *, until: float) -> None:
        self._until = until

    def enabled(self) -> Optional[bool]:
        """Whether the image has it and starts it; None where systemd does not say."""
        shown = self._shown("LoadState,UnitFileState")
        if not shown:
            return None
        return shown.get("LoadState") == "loaded" and shown.get("UnitFileState", "").startswith("enabled")

    def stop(self) -> str:
        """Stop it, by force where it takes too long; why it runs on, or nothing."""
        if self._systemctl(STOP_SECONDS, "stop", UNIT).rc == 0 and self._state() in _STOPPED:
            return ""
        self._systemctl(_ASK_SECONDS, "kill", "--signal=SIGKILL", UNIT)
        state = self._state()
        return "" if state in _STOPPED else f"nvidia-imex does not stop: {state or 'systemd does not answer'}"

    def start(self) -> str:
        """Start it; why it did not, or nothing."""
        done = self._systemctl(max(1.0, self._until - time.monotonic()), "start", UNIT)
        if done.rc == 0:
            return ""
        words = (done.problem or done.stderr or f"status {done.rc}").strip().splitlines()
        return f"nvidia-imex does not start: {words[0][:100] if words else ''}"

    def _state(self) -> str:
        return self._shown("ActiveState").get("ActiveState", "")

    def _shown(self, properties: str) -> Dict[str, str]:
        done = self._systemctl(_ASK_SECONDS, "show", UNIT, f"--property={properties}")
        lines = done.stdout.splitlines() if done.rc == 0 else []
        return {key: value for key, _, value in (line.partition("=") for line in lines)}

    def _systemctl(self, seconds: float, *words: str) -> ToolRun:
        limits = Limits(seconds, grace_seconds=_GRACE_SECONDS)
        return run_tool(argv=("systemctl", *words), limits=limits, environment={"PATH": extended_path()})
