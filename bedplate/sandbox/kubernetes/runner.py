"""How a container of a played pod is run: by default as a real process on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bedplate.sandbox.kubernetes.pod_environment import expand
from bedplate.sandbox.kubernetes.store import Object

KILLED_RC = 137  # 128 + SIGKILL
NOT_FOUND_RC = 127
LONGEST_MESSAGE = 4096
"""Bytes of a termination message that a kubelet takes (Kubernetes: Determine the Reason for Pod Failure)."""
_LOOK_EVERY_S = 0.05
_TERM_GRACE_S = 0.5
"""Of our own choice, far below a real grace period: nobody waits for a simulated pod."""


@dataclass(frozen=True)
class Run:
    """One container that is to run. What it prints goes to ``write``; ``stop`` is set once it is to end."""

    node: str
    pod: Object
    container: Mapping[str, Any]
    environment: Mapping[str, str]
    stop: threading.Event = field(default_factory=threading.Event)
    _log: bytearray = field(default_factory=bytearray)
    _said: bytearray = field(default_factory=bytearray)

    def write(self, data: bytes) -> None:
        """Add to the container's log."""
        self._log.extend(data)

    def say(self, data: bytes) -> None:
        """Leave a message for the pod's status, as by the container's termination log."""
        self._said[:] = data[:LONGEST_MESSAGE]

    @property
    def message(self) -> str:
        """The last that was left."""
        return bytes(self._said).decode("utf-8", "replace")

    @property
    def log(self) -> str:
        """All that it printed so far."""
        return bytes(self._log).decode("utf-8", "replace")


Runner = Callable[[Run], int]
"""Carries a container out and returns its exit code."""

Answers = Callable[[str, Object], tuple[int, str]]


def answering(function: Answers) -> Runner:
    """A runner from ``(node name, pod) -> (exit code, log)``: for tests that need no process."""

    def run(one: Run) -> int:
        code, log = function(one.node, one.pod)
        one.write(log.encode())
        return code

    return run


@dataclass(frozen=True)
class Host:
    """Where a node's containers run: the environment under theirs, and the folder."""

    environment: Mapping[str, str]
    folder: Path


def this_machine(_node: str) -> Host:
    """The host of a node that no simulated fleet stands behind: nothing but this machine's programs."""
    return Host({"PATH": os.environ.get("PATH", ""), "BEDPLATE_SIMULATED": "1"}, Path(tempfile.gettempdir()))


class ProcessRunner:
    """Runs a container's command as a process group on its node's host. There are no images and no mounts:
    a container without a command cannot run here.
    """

    def __init__(self, host_of: Callable[[str], Host] = this_machine) -> None:
        self._host_of = host_of

    def __call__(self, run: Run) -> int:
        """Start, follow and end the process."""
        host = self._host_of(run.node)
        environment = {**host.environment, **run.environment}
        words = [*(run.container.get("command") or ()), *(run.container.get("args") or ())]
        argv = [expand(word, run.environment) for word in words]
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(
                    [_program(argv[0], environment), *argv[1:]],
                    cwd=host.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                run.write(f"exec: {argv[0]}: {error.strerror}\n".encode())
                return NOT_FOUND_RC
            read = 0
            try:
                while process.poll() is None and not run.stop.is_set():
                    read = _copy(output.fileno(), read, run)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(_LOOK_EVERY_S)
            finally:
                code = _end(process)
                _copy(output.fileno(), read, run)
        return code


def _program(name: str, environment: Mapping[str, str]) -> str:
    """By the container's PATH, which is not that of this process."""
    if "/" in name:
        return name
    places = (Path(place) / name for place in environment.get("PATH", "").split(os.pathsep))
    return next((str(place) for place in places if place.is_file()), name)


def _copy(descriptor: int, read: int, run: Run) -> int:
    while data := os.pread(descriptor, 1 << 16, read):
        run.write(data)
        read += len(data)
    return read


def _end(process: subprocess.Popen[bytes]) -> int:
    """End the whole group, first politely; the exit code as a shell tells it."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TERM_GRACE_S)
    _signal(process, signal.SIGKILL)
    code = process.wait()
    return 128 - code if code < 0 else code


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
