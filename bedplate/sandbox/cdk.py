"""Runs the real CDK command line against an endpoint, with the flags and the environment that it needs there.

Lines of its output go to a callback as they come. While it runs, the endpoint is watched: when that goes away
the CDK is stopped at once, for the AWS SDK inside it would go on trying for minutes.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import urlparse

from bedplate.errors import BedplateError
from bedplate.sandbox.cdk_failure import CdkFailed, EndpointGone
from bedplate.sandbox.node import node_program

OnLine = Callable[[str], None]
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CDK = Path("node_modules") / "aws-cdk" / "bin" / "cdk"
WATCH_INTERVAL_S = 1.0
MISSES_ALLOWED = 2


def _nobody(_: str) -> None:
    """Drop a line."""


@dataclass(frozen=True)
class Cdk:
    """One CDK project on one endpoint.

    ``project`` holds cdk.json and node_modules; ``environment`` is laid over the process's own (see
    ``state.client_environment``); ``output`` is where synthesis puts its assembly, which other verbs read.
    """

    project: Path
    environment: Mapping[str, str]
    output: Path
    on_line: OnLine = field(default=_nobody)

    def synth(self, context: Mapping[str, str]) -> None:
        """Synthesise once; deploy, diff and destroy then need no second synthesis."""
        flags = [flag for key, value in context.items() for flag in ("--context", f"{key}={value}")]
        self._run("synth", ["--quiet", "--output", str(self.output), *flags])

    def bootstrap(self, *, account: str, region: str) -> None:
        """Bootstrap one account and Region."""
        self._run("bootstrap", [f"aws://{account}/{region}", *self._assembly()])

    def deploy(self, stacks: Sequence[str] = ("--all",)) -> None:
        """Deploy stacks, directly: no change set is made first."""
        flags = ["--method", "direct", "--require-approval", "never", "--progress", "events"]
        self._run("deploy", [*stacks, *flags, *self._assembly()])

    def diff(self) -> bool:
        """Whether what is synthesised differs from what is deployed."""
        status, _ = self._attempt(
            "diff", ["--method", "template", "--fail", *self._assembly()], allowed=(0, 1)
        )
        return status == 1

    def destroy(self, stacks: Sequence[str] = ("--all",)) -> None:
        """Destroy stacks without asking; a protected stack is refused."""
        self._run("destroy", [*stacks, "--force", *self._assembly()])

    def _assembly(self) -> list[str]:
        return ["--app", str(self.output)] if (self.output / "manifest.json").exists() else []

    def _run(self, verb: str, arguments: Sequence[str]) -> None:
        self._attempt(verb, arguments, allowed=(0,))

    def _attempt(
        self, verb: str, arguments: Sequence[str], *, allowed: Sequence[int]
    ) -> tuple[int, list[str]]:
        program = self.project / _CDK
        if not program.exists():
            raise BedplateError(
                f"the CDK command line is not in {self.project / 'node_modules'}",
                error_id="SBX-005",
                remedy="run `make install`",
            )
        command = [str(node_program()), str(program), verb, *arguments, "--ci", "--no-color", "--no-notices"]
        process = subprocess.Popen(
            command,
            cwd=self.project,
            env=self._process_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        with _Watch(process, self.environment.get("AWS_ENDPOINT_URL")) as watch:
            lines = self._read(process)
        if watch.gone:
            raise EndpointGone(verb, self.environment["AWS_ENDPOINT_URL"])
        failed = process.returncode not in allowed or (verb == "diff" and _is_broken(lines))
        if failed:
            if watch.answers() is False:
                raise EndpointGone(verb, self.environment["AWS_ENDPOINT_URL"])
            raise CdkFailed(verb, process.returncode, lines)
        return process.returncode, lines

    def _read(self, process: subprocess.Popen[str]) -> list[str]:
        lines = []
        assert process.stdout is not None
        try:
            for raw in process.stdout:
                line = _ANSI.sub("", raw.rstrip("\n"))
                lines.append(line)
                self.on_line(line)
            process.wait()
        except BaseException:
            end_group(process)
            raise
        return lines

    def _process_environment(self) -> dict[str, str]:
        node = node_program()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        # Node first: the environment's own `node` is a script (bedplate.locked_node).
        path = [str(node.parent), str(Path(sys.executable).parent), kept.get("PATH", "")]
        return {
            **kept,
            **self.environment,
            "PATH": os.pathsep.join(path),
            "JSII_NODE": str(node),
            "NO_COLOR": "1",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
        }


class _Watch:
    """Looks whether the endpoint still accepts connections, and ends the process when it does not."""

    def __init__(self, process: subprocess.Popen[str], endpoint: str | None) -> None:
        self._process = process
        self._address = _address(endpoint)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.gone = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def answers(self) -> bool | None:
        """Whether the endpoint accepts a connection now; None where there is no endpoint to watch."""
        if self._address is None:
            return None
        try:
            socket.create_connection(self._address, timeout=5).close()
        except OSError:
            return False
        return True

    def _look(self) -> None:
        misses = 0
        while not self._stop.wait(WATCH_INTERVAL_S):
            misses = misses + 1 if self.answers() is False else 0
            if misses >= MISSES_ALLOWED:
                self.gone = True
                end_group(self._process)
                return


def _address(endpoint: str | None) -> tuple[str, int] | None:
    if endpoint is None:
        return None
    parts = urlparse(endpoint)
    if parts.hostname is None:
        return None
    return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _is_broken(lines: Sequence[str]) -> bool:
    """`cdk diff --fail` ends with 1 for a difference and for an error; only the former counts its stacks."""
    return not any("Number of stacks with differences" in line for line in lines)


def end_group(process: subprocess.Popen[str]) -> None:
    """End a process and what it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            return
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            continue
        return
