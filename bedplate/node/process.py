"""Run one tool with a deadline and a bound on what it may print, and leave nothing of it behind.

A tool that overruns is stopped with everything that it started (its whole process group), because a half-dead
collective keeps GPUs busy and poisons the next round. Output goes to temporary files, so that a log of many
megabytes neither fills memory while the tool runs nor blocks it on a full pipe. The log of a collective over
many nodes may be longer than what is handed on: it is thinned first (``large_log``).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Dict, Mapping, Optional, Sequence, Tuple

from bedplate.node.guardian import Guardian
from bedplate.node.large_log import THIN_FROM_BYTES, lacks_room, log_folder, read_thinned

_FIRST_POLL_SECONDS = 0.004
_POLL_SECONDS = 0.05
STOP = threading.Event()
"""Set when this program is told to end: every tool that runs is then stopped, as at its deadline."""
_GRACE_SECONDS = 10.0
OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024
"""A tool that prints more is stopped, and what it printed is marked as truncated: never a pass."""


@dataclass(frozen=True)
class Limits:
    """How long a tool may run (s), and how much it may print to each stream (bytes)."""

    deadline_seconds: float
    output_bytes: int = OUTPUT_LIMIT_BYTES
    log_bytes: int = 0
    """Not 0 for a collective's log: as long as it may be before it is thinned to ``output_bytes``."""
    grace_seconds: float = _GRACE_SECONDS
    """Between SIGTERM and SIGKILL where it is stopped."""
    despite_stop: bool = False
    """For what has to be done when this program is told to end: it runs on to its end or its deadline."""

    @property
    def printed_bytes(self) -> int:
        """How much may be printed to each stream."""
        return max(self.log_bytes, self.output_bytes)


@dataclass(frozen=True)
class ToolRun:
    """What one run of a tool left: ``rc`` is None where it was stopped or could not be started."""

    tool: str
    argv: Tuple[str, ...]
    rc: Optional[int]
    timed_out: bool
    truncated: bool
    seconds: float
    stdout: str
    stderr: str
    problem: str = ""
    """Why it could not be started, or why it was stopped; empty where it ended by itself."""

    def as_json(self) -> Dict[str, Any]:
        """The run as an answer carries it."""
        return {
            "tool": self.tool,
            "argv": list(self.argv),
            "rc": self.rc,
            "timed_out": self.timed_out,
            "truncated": self.truncated,
            "seconds": round(self.seconds, 3),
            "stdout": self.stdout,
            "stderr": self.stderr,
            "problem": self.problem,
        }


def run_tool(
    *,
    argv: Sequence[str],
    limits: Limits,
    tool: str = "",
    environment: Optional[Mapping[str, str]] = None,
    guardian: Optional[Guardian] = None,
    stop: Optional[threading.Event] = None,
) -> ToolRun:
    """Run ``argv`` to its end or to its limits; never raises for what the tool does.

    With a ``guardian`` it does not outlive this program either, however that ends. ``stop`` ends this one
    tool before its time, as ``STOP`` ends all.
    """
    name = tool or Path(argv[0]).name
    begun = time.monotonic()
    folder = log_folder() if limits.log_bytes else None
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            problem = f"could not be started: {error}"
            return ToolRun(name, tuple(argv), None, False, False, 0.0, "", _with_note("", problem), problem)
        if guardian is not None:
            guardian.watch(process.pid)
        problem = _watch(process, limits, begun, (out, err), stop)
        if guardian is not None:
            guardian.release(process.pid)
        stdout, out_cut = _read(out, limits)
        stderr, err_cut = _read(err, limits)
    if (out_cut or err_cut) and not problem:
        problem = f"printed more than {limits.output_bytes} bytes that can be handed on"
    return ToolRun(
        tool=name,
        argv=tuple(argv),
        rc=None if problem else process.returncode,
        timed_out=problem.startswith("deadline"),
        truncated=out_cut or err_cut,
        seconds=time.monotonic() - begun,
        stdout=stdout,
        stderr=_with_note(stderr, problem),
        problem=problem,
    )


def _watch(
    process: "subprocess.Popen[bytes]",
    limits: Limits,
    begun: float,
    streams: Sequence[IO[bytes]],
    stop: Optional[threading.Event],
) -> str:
    """Wait for the end or a limit; whatever happens, the process group is gone when this returns."""
    problem, pause = "", _FIRST_POLL_SECONDS
    try:
        while process.poll() is None:
            if time.monotonic() - begun > limits.deadline_seconds:
                problem = f"deadline of {limits.deadline_seconds:g} s passed"
                break
            problem = _overfull(limits, streams)
            if problem:
                break
            if STOP.is_set() and not limits.despite_stop:
                problem = "stopped, since the program that started it was told to end"
                break
            if stop is not None and stop.is_set():
                problem = "stopped, since what it was to work with has ended"
                break
            time.sleep(pause)
            pause = min(2 * pause, _POLL_SECONDS)
    finally:
        _end_group(process, limits.grace_seconds)
    return problem


def _end_group(process: "subprocess.Popen[bytes]", grace_seconds: float) -> None:
    """Ask the group to end, then kill it. A tool that has ended may still have left children: they go too."""
    if process.poll() is None:
        _signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=grace_seconds)
    _signal_group(process.pid, signal.SIGKILL)
    # A process that hangs in the kernel (a mount whose server is gone) does not die: it is left behind.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_SECONDS)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _with_note(stderr: str, problem: str) -> str:
    """The stopped tool's own words, and below them why it was stopped: it is the last line."""
    return f"{stderr.rstrip()}\nbedplate: {problem}\n".lstrip() if problem else stderr


def _overfull(limits: Limits, streams: Sequence[IO[bytes]]) -> str:
    """Why the tool may print no more; empty where it may."""
    sizes = [os.fstat(stream.fileno()).st_size for stream in streams]
    if max(sizes) > limits.printed_bytes:
        return f"printed more than {limits.printed_bytes} bytes"
    return lacks_room(streams[0]) if limits.log_bytes and max(sizes) > THIN_FROM_BYTES else ""


def _read(stream: IO[bytes], limits: Limits) -> Tuple[str, bool]:
    """At most ``output_bytes`` of the stream as text, and whether there was more."""
    size = os.fstat(stream.fileno()).st_size
    stream.seek(0)
    if limits.log_bytes and size > THIN_FROM_BYTES:
        text, cut = read_thinned(stream, most_bytes=limits.output_bytes)
        return text, cut or size > limits.printed_bytes
    data = stream.read(limits.output_bytes + 1)
    return data[: limits.output_bytes].decode("utf-8", errors="replace"), len(data) > limits.output_bytes
