"""Programs in a folder for PATH that note how they were called, and a job script run by bash with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.jobs import played_srun, played_training

TRAINING = played_training.__file__
_NOTE = """#!PYTHON
import json, os, sys
print("sees GPUs", os.environ.get("CUDA_VISIBLE_DEVICES"), flush=True)
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
"""
_TORCHRUN = """import subprocess
words = sys.argv[1:]
while words[0].startswith("-"):
    words.pop(0)
sys.exit(subprocess.call([sys.executable, *words]))
"""


class StandIns:
    """torchrun, which starts its script once, as a child of this Python, and all_reduce_perf; unless Slurm is
    real, srun and scontrol besides.
    """

    def __init__(self, folder: Path, *, real_slurm: bool = False) -> None:
        self.folder = folder
        self.calls_file = folder / "calls"
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self.calls_file.touch()
        self.calls_file.chmod(0o666)
        note = _NOTE.replace("PYTHON", sys.executable)
        if not real_slurm:
            self._put("srun", f'#!/bin/sh\nexec {sys.executable} {played_srun.__file__} "$@"\n')
            self._put("scontrol", note)
        self._put("all_reduce_perf", note)
        self._put("torchrun", note + _TORCHRUN)

    @property
    def environment(self) -> dict[str, str]:
        """As a batch script on the first of two nodes has it."""
        return {
            "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "CALLS": str(self.calls_file),
            "SLURM_JOB_ID": "42",
            "SLURM_JOB_NUM_NODES": "2",
            "SLURM_JOB_NODELIST": "gpu-[1-2]",
        }

    def start(self, text: str, **variables: str) -> subprocess.Popen[str]:
        """Start a job script."""
        return subprocess.Popen(
            ["bash", "-c", text],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, text: str, **variables: str) -> tuple[int, str]:
        """Run a job script to its end; its exit code, and what it printed."""
        process = self.start(text, **variables)
        told, _ = process.communicate(timeout=120)
        return process.returncode, told

    def calls(self, program: str) -> list[list[str]]:
        """How a program was called, each time."""
        lines = [json.loads(line) for line in self.calls_file.read_text().splitlines()]
        return [words[1:] for words in lines if words[0] == program]

    def _put(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)
