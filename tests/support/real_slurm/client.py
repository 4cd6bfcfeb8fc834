"""Slurm's own client programs, each bounded in time, and what they say as plain data."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

CLIENT_SECONDS = 60.0
_FIELD = re.compile(r"(?:^|\s)([A-Za-z][\w:/]*)=")


class SlurmRefusedError(Exception):
    """A client program ended with an error."""


class Client:
    """Asks one slurmctld."""

    def __init__(self, *, environment: Mapping[str, str], folder: Path) -> None:
        self.environment = dict(environment)
        self._folder = folder

    def run(self, *argv: str, timeout: float = CLIENT_SECONDS) -> str:
        """Run a client; return what it printed. Raises ``SlurmRefusedError``."""
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=self.environment,
            cwd=self._folder,
        )
        if done.returncode != 0:
            raise SlurmRefusedError(f"{' '.join(argv)}: {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def submit(self, script: str, *options: str) -> str:
        """Submit lines of shell as a job; return its id. What it prints is in ``output``."""
        words = ["sbatch", "--parsable", f"--output={self._folder}/out/%j", *options, f"--wrap={script}"]
        return self.run(*words).strip().split(";")[0]

    def output(self, job: str) -> str:
        """What a job printed until now."""
        path = self._folder / "out" / job
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def job(self, job: str) -> dict[str, str]:
        """A job's fields as ``scontrol show job`` names them."""
        return fields(self.run("scontrol", "--oneliner", "show", "job", job))

    def node(self, name: str) -> dict[str, str]:
        """A node's fields as ``scontrol show node`` names them."""
        return fields(self.run("scontrol", "--oneliner", "show", "node", name))

    def hosts(self, job: str) -> list[str]:
        """The nodes of a job, by name."""
        return self.run("scontrol", "show", "hostnames", self.job(job)["NodeList"]).split()

    def wait_job(self, job: str, *states: str, seconds: float = 60) -> dict[str, str]:
        """Wait until the job's state is one of these; return its fields. Raises ``TimeoutError``."""
        return _wait(lambda: self.job(job), lambda found: found["JobState"] in states, seconds=seconds)

    def wait_node(
        self, name: str, accepted: Callable[[dict[str, str]], bool], *, seconds: float = 60
    ) -> dict[str, str]:
        """Wait until a node is as asked; return its fields. Raises ``TimeoutError``."""
        return _wait(lambda: self.node(name), accepted, seconds=seconds)

    def cancel_all(self) -> None:
        """Cancel every job, and wait until the queue is empty."""
        self.run("scancel", "--user=root", "--full")
        for state in ("PENDING", "RUNNING", "SUSPENDED"):
            self.run("scancel", f"--state={state}")
        _wait(
            lambda: {"queue": self.run("squeue", "--noheader").strip()},
            lambda found: not found["queue"],
            seconds=90,
        )


def fields(line: str) -> dict[str, str]:
    """``Name=value Name=value with spaces`` as a dictionary."""
    found = list(_FIELD.finditer(line))
    ends = [match.start() for match in found[1:]] + [len(line)]
    return {match.group(1): line[match.end() : end].strip() for match, end in zip(found, ends, strict=True)}


def _wait(
    ask: Callable[[], dict[str, str]], accepted: Callable[[dict[str, str]], bool], *, seconds: float
) -> dict[str, str]:
    until = time.monotonic() + seconds
    while True:
        found = ask()
        if accepted(found):
            return found
        if time.monotonic() > until:
            raise TimeoutError(f"not within {seconds:g} s; it is {found}")
        time.sleep(0.2)
