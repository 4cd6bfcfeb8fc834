"""SIMULATED: the node program and the fleet's stand-ins, called as functions in this process.

A stand-in started as a process costs some 20 ms, and a validation starts hundreds. Here the same ``main`` of
the node program runs in the test's own process: its command line, its parsing, its envelope. Where it would
start a program that the fleet plays, that stand-in's ``main`` is called, and what it prints is its output.
Nothing of the product is stubbed but ``run_tool`` (which starts programs), the thread pools around it, and
the guardian, which has nobody to guard. What the fleet does not play is started for real.
"""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self
from unittest import mock

import bedplate.node
from bedplate.node import __main__ as node_program
from bedplate.node.guardian import Guardian
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.sandbox.fleet.shell import ShellResult
from bedplate.sandbox.fleet.tools import main as stand_in
from bedplate.sandbox.fleet.tools import srun
from bedplate.sandbox.fleet.tools.names import TOOLS
from bedplate.sandbox.fleet.tools.output import complain
from bedplate.sandbox.fleet.truth import NodeTruth
from tests.bench.faults.virtual_time import Background, Overran, VirtualTime

_PROGRAM = "bedplate-node.pyz"


class _InTurns:
    """``ThreadPoolExecutor`` for programs that share one process's output and environment."""

    def __init__(self, clock: VirtualTime) -> None:
        self._clock = clock

    def __call__(self, *_: object, **__: object) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def map(self, work: Callable[..., Any], *many: Sequence[Any], **_: object) -> Iterator[Any]:
        """One after the other."""
        return iter([work(*each) for each in zip(*many, strict=False)])

    def submit(self, work: Callable[..., Any], *words: Any, **named: Any) -> Background:
        """Beside what goes on."""
        return self._clock.start(lambda: work(*words, **named))

    def shutdown(self, *_: object, **__: object) -> None:
        """Nothing runs on."""


class _NoGuardian:
    """Nothing outlives a call."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def watch(self, group: int) -> None:
        """Nobody to watch."""

    def release(self, group: int) -> None:
        """Nobody to release."""


class PlayedNodes:
    """A context manager; inside it ``run`` is a node's program, run here. One thread, one process."""

    def __init__(self, clock: VirtualTime, environment: Callable[[str], Mapping[str, str]]) -> None:
        """``environment`` gives that of a node's programs, by instance id."""
        self._clock = clock
        self._environment = environment
        self._stack = ExitStack()
        self._on: list[NodeTruth] = []

    def __enter__(self) -> Self:
        # All are imported before any is changed, else one would import another's stand-in for good.
        for module in list(_modules(bedplate.node)):
            for name, real, stand in (
                ("run_tool", run_tool, self._run_tool),
                ("Guardian", Guardian, _NoGuardian),
            ):
                if getattr(module, name, None) is real:
                    self._stack.enter_context(mock.patch.object(module, name, stand))
            if hasattr(module, "ThreadPoolExecutor"):
                self._stack.enter_context(
                    mock.patch.object(module, "ThreadPoolExecutor", _InTurns(self._clock))
                )
        self._stack.enter_context(mock.patch.object(srun, "run_tasks", self._run_tasks))
        # Its handler of SIGTERM would become this process's own.
        no_signals = SimpleNamespace(signal=lambda *_: None, SIGTERM=signal.SIGTERM)
        self._stack.enter_context(mock.patch.object(node_program, "signal", no_signals))
        self._stack.enter_context(self._clock.instead_of_time())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, node: NodeTruth, words: Sequence[str], *, deadline_seconds: float) -> ShellResult:
        """What ``bedplate-node.pyz WORDS`` leaves on the node, as ``Fleet.run_shell`` gives it."""
        out, err = io.StringIO(), io.StringIO()
        with (
            _as_process(self._environment(node.instance_id)),
            redirect_stdout(out),
            redirect_stderr(err),
            self._clock.frame(deadline_seconds) as frame,
        ):
            try:
                code = self._program(node, words)
            except Overran as overran:
                if overran.frame != frame:
                    raise
                return ShellResult(out.getvalue(), err.getvalue(), 137, timed_out=True)
        return ShellResult(out.getvalue(), err.getvalue(), code)

    def _program(self, node: NodeTruth, words: Sequence[str]) -> int:
        self._on.append(node)
        try:
            return node_program.main(list(words))
        except SystemExit as ended:
            return int(ended.code or 0) if isinstance(ended.code, int | None) else 1
        finally:
            self._on.pop()

    def _run_tool(
        self,
        *,
        argv: Sequence[str],
        limits: Limits,
        tool: str = "",
        environment: Mapping[str, str] | None = None,
        guardian: Any = None,
        stop: Any = None,
    ) -> ToolRun:
        """As ``bedplate.node.process.run_tool``."""
        node, name = self._on[-1], Path(argv[0]).name
        if name not in TOOLS or not (node.folder / "bin" / name).exists():
            return run_tool(argv=argv, limits=limits, tool=tool, environment=environment)
        out, err = io.StringIO(), io.StringIO()
        problem, code = "", None
        begun = self._clock.monotonic()
        with (
            _as_process({**os.environ, **(environment or {})}),
            redirect_stdout(out),
            redirect_stderr(err),
            self._clock.frame(limits.deadline_seconds, why="deadline", stop=stop) as frame,
        ):
            try:
                code = stand_in.main([str(node.folder), name, *argv[1:]])
            except Overran as overran:
                if overran.frame != frame:
                    raise
                problem = "stopped, since what it was to work with has ended"
                if overran.why:
                    problem = f"deadline of {limits.deadline_seconds:g} s passed"
        stdout, cut = _limited(out.getvalue(), limits.output_bytes)
        stderr = err.getvalue() + (f"bedplate: {problem}\n" if problem else "")
        seconds = self._clock.monotonic() - begun
        timed_out = problem.startswith("deadline")
        return ToolRun(tool or name, tuple(argv), code, timed_out, cut, seconds, stdout, stderr, problem)

    def _run_tasks(
        self,
        *,
        nodes: Sequence[NodeTruth],
        tasks_per_node: int,
        command: Sequence[str],
        label: bool,
        caller_root: Path,
    ) -> int:
        """As ``bedplate.sandbox.fleet.tools.tasks.run_tasks``, for the one program that srun is given."""
        if len(command) < 3 or Path(command[1]).name != _PROGRAM or label or tasks_per_node != 1:
            raise AssertionError(f"the played srun starts the node program only, not {command}")
        worst = 0
        for number, node in enumerate(nodes):
            left = self.run(node, command[2:], deadline_seconds=1e9)
            sys.stdout.write(left.stdout)
            sys.stderr.write(left.stderr)
            if left.rc:
                complain(f"srun: error: {node.slurm_name}: task {number}: Exited with exit code {left.rc}")
            worst = max(worst, left.rc)
        return worst


@contextmanager
def _as_process(environment: Mapping[str, str]) -> Iterator[None]:
    # Its table is put in another's place: to empty and fill it took a tenth of a run's time.
    raw: Any = os.environ
    table = {raw.encodekey(name): raw.encodevalue(value) for name, value in environment.items()}
    with mock.patch.object(raw, "_data", table):
        yield


def _limited(text: str, limit_bytes: int) -> tuple[str, bool]:
    if len(text) * 4 <= limit_bytes or len(data := text.encode("utf-8")) <= limit_bytes:
        return text, False
    return data[:limit_bytes].decode("utf-8", errors="replace"), True


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    """The package's modules, all of them, those that others add included."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)
