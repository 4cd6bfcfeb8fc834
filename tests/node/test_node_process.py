"""Tests of running one tool within its limits."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bedplate.node.process import Limits, run_tool

SLEEPING_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
{last}
"""


def gone(pid: int) -> bool:
    """Whether the process has ended (a zombie that nobody reaps counts as ended)."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def python(code: str) -> list[str]:
    """The command line that runs ``code``."""
    return [sys.executable, "-c", code]


def test_a_tool_that_ends_leaves_its_code_and_both_streams() -> None:
    """What a tool printed and how it ended are returned as they were."""
    run = run_tool(
        argv=python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"), limits=Limits(10)
    )
    assert (run.rc, run.stdout, run.stderr, run.timed_out, run.truncated) == (
        3,
        "out\n",
        "err\n",
        False,
        False,
    )


def test_a_tool_past_its_deadline_is_stopped_with_what_it_started() -> None:
    """A hang costs the deadline, has no exit code, and no child of it goes on."""
    run = run_tool(argv=python(SLEEPING_CHILD.format(last="time.sleep(60)")), limits=Limits(1.0))
    assert run.rc is None
    assert run.timed_out
    assert run.seconds < 8
    assert "deadline of 1 s" in run.stderr
    assert gone(int(run.stdout))


def test_a_child_left_behind_by_a_tool_that_ended_is_stopped() -> None:
    """A tool's orphans keep GPUs busy, so they go too."""
    run = run_tool(argv=python(SLEEPING_CHILD.format(last="")), limits=Limits(10))
    assert run.rc == 0
    assert gone(int(run.stdout))


OUTLIVED = """
import os, signal, sys, time
def end(*_):
    open({told!r}, "w").write("asked")
    sys.exit()
signal.signal(signal.SIGTERM, end)
open({pid!r}, "w").write(str(os.getpid()))
time.sleep(60)
"""
KILLED = """
import sys
from bedplate.node.guardian import Guardian
from bedplate.node.process import Limits, run_tool
with Guardian() as guardian:
    run_tool(argv=[sys.executable, "-c", {tool!r}], limits=Limits(60), guardian=guardian)
"""


def within(seconds: float, holds) -> bool:
    """Whether something comes to hold in time."""
    give_up = time.monotonic() + seconds
    while not holds() and time.monotonic() < give_up:
        time.sleep(0.05)
    return bool(holds())


def test_a_tool_does_not_outlive_a_program_that_is_killed(tmp_path) -> None:
    """SSM cancels by SIGKILL to the program's group: srun must get its SIGTERM all the same."""
    told, pid = tmp_path / "told", tmp_path / "pid"
    tool = OUTLIVED.format(told=str(told), pid=str(pid))
    started = subprocess.Popen(python(KILLED.format(tool=tool)), start_new_session=True)
    assert within(10, lambda: pid.exists() and pid.read_text())
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    assert within(5, told.exists)
    assert gone(int(pid.read_text()))


def test_a_tool_that_ignores_the_request_to_end_is_killed() -> None:
    """SIGTERM is a request; SIGKILL follows after as long as is given."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    run = run_tool(argv=python(code), limits=Limits(0.5, grace_seconds=0.2))
    assert run.timed_out
    assert run.seconds < 5


def test_a_tool_that_prints_without_end_is_stopped_and_marked() -> None:
    """Output is bounded; a cut log has no exit code, so no rule can take it for a whole one."""
    run = run_tool(argv=python("while True: print('x' * 1000)"), limits=Limits(20, output_bytes=100_000))
    assert run.rc is None
    assert run.truncated
    assert len(run.stdout) == 100_000
    assert not run.timed_out


def test_output_of_exactly_the_limit_is_whole() -> None:
    """The bound is inclusive: a log that fits is not called cut."""
    run = run_tool(argv=python("print('x' * 99)"), limits=Limits(10, output_bytes=100))
    assert (run.rc, run.truncated, len(run.stdout)) == (0, False, 100)


def test_a_missing_tool_is_told_and_does_not_raise() -> None:
    """A node without the tool answers that it has none."""
    run = run_tool(argv=["no-such-tool-here"], limits=Limits(1))
    assert run.rc is None
    assert not run.timed_out
    assert "could not be started" in run.stderr


def test_the_environment_is_the_nodes_own_plus_what_is_given() -> None:
    """Variables are added, not replaced."""
    run = run_tool(
        argv=python("import os; print(os.environ['NCCL_DEBUG'], 'PATH' in os.environ)"),
        limits=Limits(10),
        environment={"NCCL_DEBUG": "INFO"},
    )
    assert run.stdout == "INFO True\n"
    assert "NCCL_DEBUG" not in os.environ


def test_bytes_that_are_no_text_are_replaced() -> None:
    """A corrupt log is still delivered, not a crash of the node program."""
    run = run_tool(argv=python("import sys; sys.stdout.buffer.write(b'a\\xffb')"), limits=Limits(10))
    assert run.stdout == "a\ufffdb"


def test_what_must_be_done_at_the_end_runs_although_this_program_is_told_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as the word to Slurm that a job is to be ended; all else is stopped."""
    stop = threading.Event()
    stop.set()
    monkeypatch.setattr("bedplate.node.process.STOP", stop)
    code = python("import time; time.sleep(0.3); print('done')")
    assert run_tool(argv=code, limits=Limits(20.0, despite_stop=True)).stdout == "done\n"
    assert "told to end" in run_tool(argv=code, limits=Limits(20.0)).problem
