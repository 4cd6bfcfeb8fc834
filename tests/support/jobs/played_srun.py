"""SIMULATED: srun with one task. It takes options up to the first word without dashes, and hands SIGUSR1 on.

Its words are kept as a line of JSON in the file that ``CALLS`` names, as those of every stand-in.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path


def main(words: list[str]) -> int:
    """Run the command as a step of its own; its exit code, as srun's."""
    with Path(os.environ["CALLS"]).open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(["srun", *words]) + "\n")
    command = words[next(index for index, word in enumerate(words) if not word.startswith("--")) :]
    step = subprocess.Popen(command, start_new_session=True)
    signal.signal(signal.SIGUSR1, lambda *_: os.killpg(step.pid, signal.SIGUSR1))
    code = step.wait()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
