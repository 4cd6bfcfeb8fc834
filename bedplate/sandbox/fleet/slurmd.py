"""The start of Slurm's daemon: systemd runs what drop-ins put before it, and stops where that fails."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.sandbox.fleet.allocation import hold_back
from bedplate.sandbox.fleet.shell import run_script
from bedplate.sandbox.fleet.truth import NodeTruth

_DROP_INS = "etc/systemd/system/slurmd.service.d"
_BEFORE = "ExecStartPre="
_PYTHON = "/usr/bin/python3"
_DEADLINE_SECONDS = 120


def start(truth: NodeTruth, environment: Mapping[str, str]) -> None:
    """Run every ``ExecStartPre`` of the node's drop-ins; the first that fails keeps the node out of Slurm."""
    for command in _commands(truth):
        result = run_script(
            script=f"#!/bin/bash\n{command}\n",
            folder=truth.root,
            environment=environment,
            timeout_s=_DEADLINE_SECONDS,
        )
        if result.rc != 0:
            hold_back(truth.folder, result.stderr or result.stdout)
            return


def _commands(truth: NodeTruth) -> list[str]:
    """The commands, with the node's own tree for absolute paths and the sandbox's Python for the system's."""
    lines = [
        line.removeprefix(_BEFORE).lstrip("+")
        for path in sorted((truth.root / _DROP_INS).glob("*.conf"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith(_BEFORE)
    ]
    return [line.replace(_PYTHON, "python3").replace(" /opt/", ' "$BEDPLATE_ROOT"/opt/') for line in lines]
