"""Runs ``bedplate`` itself in a process of its own: the validating side of the demonstration.

It is given the endpoint and credentials of the stand-in, and nothing that would let it see the faults.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Timer

from bedplate.sandbox.cdk import end_group

LIMIT_S = 600.0


def run_bedplate(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: Path,
    log: Path,
    on_progress: Callable[[str], None],
    limit_s: float = LIMIT_S,
) -> int:
    """Run one command and return its exit code; all it says goes to ``log``, and progress to the callback.

    A command that runs longer than ``limit_s`` is ended; its exit code is then 130, or the signal's, below 0.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    log.unlink(missing_ok=True)
    # Opened to append: its output and its progress come from two sides, and must not lie over each other.
    with log.open("a", encoding="utf-8", buffering=1) as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "bedplate.cli.main", *arguments],
            cwd=cwd,
            env={**kept, **environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        assert process.stderr is not None
        # Reading its progress waits as long as it runs, so the limit is kept from the side.
        watch = Timer(limit_s, end_group, [process])
        watch.start()
        try:
            for line in process.stderr:
                output.write(line)
                on_progress(line.rstrip("\n"))
            return process.wait()
        except BaseException:
            end_group(process)
            raise
        finally:
            watch.cancel()
