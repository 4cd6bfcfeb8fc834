"""A node's first minute: its user data, run for real, and then what stands before Slurm's daemon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.sandbox.fleet import slurmd
from bedplate.sandbox.fleet.shell import run_script
from bedplate.sandbox.fleet.truth import NodeTruth
from bedplate.sandbox.fleet.user_data import read_user_data

SCRIPT_DEADLINE_SECONDS = 600
"""Far more than a boot takes: a machine with other work to do may stall for minutes."""


@dataclass(frozen=True)
class BootReport:
    """How it ended; ``summary`` is one line, the whole output is in the node's ``boot.log``."""

    ok: bool
    summary: str


def run_user_data(*, truth: NodeTruth, user_data: str, environment: Mapping[str, str]) -> BootReport:
    """Run the scripts in order and stop at the first that fails; then start slurmd. Never raises for what
    they do.
    """
    report = _run_scripts(truth, user_data, environment)
    slurmd.start(truth, environment)
    return report


def _run_scripts(truth: NodeTruth, user_data: str, environment: Mapping[str, str]) -> BootReport:
    log = truth.folder / "boot.log"
    try:
        data = read_user_data(user_data)
    except ValueError as error:
        log.write_text(f"{error}\n", encoding="utf-8")
        return BootReport(ok=False, summary=str(error))
    with log.open("w", encoding="utf-8") as out:
        out.writelines(f"[not run] {part}\n" for part in data.ignored)
        for number, script in enumerate(data.scripts, start=1):
            result = run_script(
                script=script, folder=truth.root, environment=environment, timeout_s=SCRIPT_DEADLINE_SECONDS
            )
            out.write(f"[script {number}: status {result.rc}]\n{result.stdout}{result.stderr}")
            if result.rc != 0:
                last = (result.stderr or result.stdout).strip().splitlines()[-1:] or ["it printed nothing"]
                return BootReport(
                    ok=False, summary=f"user data script {number} ended with {result.rc}: {last[0]}"
                )
    return BootReport(ok=True, summary="booted")
