"""What to install where a run did not start because a program, or a part of the launcher, is not there."""

from __future__ import annotations

import re

# Words of execve's and the shell's refusals, of Popen's, and of srun where its MPI plugin is missing.
_TABLE = (
    (
        re.compile(r"(?P<name>\w+_perf)\W.*(No such file|command not found)"),
        (
            "Install nccl-tests, built with MPI=1, on the nodes' image so that {name} is on PATH or where "
            "docs/validation.md says (the AWS Deep Learning AMIs bring it below /usr/local/cuda-*/efa), then "
            "validate again."
        ),
    ),
    (
        re.compile(r"plugin name for mpi/pmix|mpi plugin for mpi/pmix|Invalid MPI type"),
        (
            "Install Slurm's PMIx plugin and libpmix on the login node and on the nodes (`srun --mpi=list` "
            "must name pmix), then validate again."
        ),
    ),
    (
        re.compile(r"(?P<name>\bsrun|\bscontrol)\b\W.*(No such file|command not found)"),
        (
            "Install the Slurm client on the login node so that {name} is on PATH or where "
            "docs/validation.md says, then validate again."
        ),
    ),
)
# Python names the program last: "No such file or directory: 'srun'".
_PYTHON = re.compile(r"No such file or directory: '(?P<path>[^']+)'")


def remedy_for(text: str) -> str:
    """The remedy for the first program that ``text`` says is missing; empty where it says no such thing."""
    told = _PYTHON.sub(lambda match: f"{match.group('path')}: No such file", text)
    for pattern, remedy in _TABLE:
        match = pattern.search(told)
        if match is not None:
            return remedy.format(**match.groupdict())
    return ""
