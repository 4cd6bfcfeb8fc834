"""SIMULATED: a training that only counts its steps, with the real contract of checkpoints and stopping.

``--die-at STEP`` ends it there in the middle of writing a checkpoint, on its first start only.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples/jobs"))

import checkpoints
from stopping import StopRequest


def main() -> None:
    """Count from the last complete checkpoint; the first node alone writes."""
    asked = _arguments()
    first = os.environ.get("SLURM_NODEID", "0") == "0"
    stop = StopRequest()
    found = checkpoints.newest(asked.checkpoints)
    step = found[0] if found else 0
    _say(f"trains from step {step}")
    while step < asked.steps and not stop.asked:
        time.sleep(asked.pause_seconds)
        step += 1
        if first and step == asked.die_at and os.environ.get("SLURM_RESTART_COUNT", "0") == "0":
            (checkpoints.partial(asked.checkpoints, step) / "half").write_text("of it")
            os.kill(os.getpid(), signal.SIGKILL)
        if first and (step % asked.every == 0 or step == asked.steps):
            _save(asked.checkpoints, step)
    if first and stop.asked and step < asked.steps:
        _save(asked.checkpoints, step)
    if first and step == asked.steps:
        checkpoints.finish(asked.checkpoints)
    _say(f"ends at step {step}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--pause-seconds", type=float, default=0.0)
    parser.add_argument("--die-at", type=int, default=0)
    return parser.parse_args()


def _save(folder: Path, step: int) -> None:
    (checkpoints.partial(folder, step) / "state").write_text(str(step))
    checkpoints.publish(folder, step)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
