"""Services of ours that run on a simulated node for as long as it lives, as systemd would keep them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

from bedplate.sandbox.fleet.truth import NodeTruth

UNITS = "etc/systemd/system"
LOG = "var/log/bedplate-daemons.log"
_STOP_SECONDS = 60.0


class Daemons:
    """What a node's own units with ``Restart=always`` start, once its scripts have ended.

    A service that ends by itself is not started again. With ``setpriv`` on this machine it ends with the
    sandbox, also where that is killed.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[str, list[subprocess.Popen[bytes]]] = {}

    def start(self, truth: NodeTruth, environment: Mapping[str, str]) -> None:
        """Start those of one node."""
        for unit in sorted((truth.root / UNITS).glob("bedplate-*.service")):
            argv = _command(unit.read_text(encoding="utf-8"), truth.root)
            if argv:
                with (truth.root / LOG).open("ab") as log:
                    process = subprocess.Popen(
                        [*_until_parent_ends(), *argv],
                        cwd=truth.root,
                        env=dict(environment),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                with self._lock:
                    self._running.setdefault(truth.instance_id, []).append(process)

    def stop(self, instance_id: str) -> None:
        """End those of one node, with what they started."""
        with self._lock:
            processes = self._running.pop(instance_id, [])
        for process in processes:
            _signal(process, signal.SIGTERM)
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_STOP_SECONDS)
            _signal(process, signal.SIGKILL)
            process.wait()

    def close(self) -> None:
        """End all."""
        for instance_id in list(self._running):
            self.stop(instance_id)


def _command(unit: str, root: Path) -> list[str]:
    """``ExecStart`` of a unit that is kept running, below the node's root; empty for any other unit."""
    values = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    if values.get("Restart") != "always":
        return []
    _, program, *words = shlex.split(values["ExecStart"])
    return ["python3", f"{root}{program}", *words]


def _until_parent_ends() -> list[str]:
    tool = shutil.which("setpriv")
    return [tool, "--pdeathsig", "TERM", "--"] if tool else []


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
