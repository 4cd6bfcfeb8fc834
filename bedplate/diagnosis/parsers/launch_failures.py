"""Lines by which launchers, NCCL and CUDA say that a run went wrong; one table, kind by pattern.

A host named in such a line is a reporter, not proof of guilt: in a collective every healthy peer reports too.
Sources: the strings are those of nccl-tests ``common.cu``, Open MPI's help files and Slurm's ``srun``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LAUNCH = "launch"
"""The launcher placed nothing: no test ran."""
CRASH = "crash"
"""A process ended badly."""
TIMEOUT = "timeout"
"""A deadline of the tool or of the scheduler passed."""
USAGE = "usage"
"""The tool ran with less, or other, than it was asked for."""
STOPPED = "stopped"
"""What it printed was more than may be kept, so that it was stopped (``bedplate.node.process``)."""

_TABLE = (
    (LAUNCH, r"There are not enough slots available"),
    (LAUNCH, r"srun: error: .*(Unable to (allocate|create|confirm)|Immediate execution impossible)"),
    (LAUNCH, r"srun: (error|fatal): .*(Invalid|not available|Requested node|Unable to find|No such file)"),
    (LAUNCH, r"(execve\(\)|exec\w*): .*(No such file|Permission denied)|: command not found\s*$"),
    (LAUNCH, r"srun: error: .*(plugin name for mpi/|Invalid MPI type)"),
    (LAUNCH, r"^bedplate: could not be started: "),
    (STOPPED, r"^bedplate: (?:printed more than|the disk under the log)"),
    (LAUNCH, r"mpirun was unable to (find|launch)|ORTE was unable to"),
    (TIMEOUT, r"Test timeout \(\d+s\)|DUE TO TIME LIMIT|DUE TO TIME ?OUT"),
    (CRASH, r"Test (NCCL|CUDA) failure"),
    (CRASH, r"\bTest failure \S+:\d+"),
    (CRASH, r"Primary job\s+terminated normally, but|mpirun detected that one or more processes exited"),
    (CRASH, r"srun: error: .*(Exited with exit code|Killed|Segmentation|Aborted|Bus error|task \S+: )"),
    # Not every error of slurmstepd: a working directory that is not there is moved to /tmp, and all is well.
    (CRASH, r"slurmstepd: error: .*(\*\*\*|CANCELLED|execve|[Oo][Oo][Mm]|[Ee]xceeded|Detected)"),
    (
        CRASH,
        r"srun: (Force Terminated|Job step aborted)|STEP \S+ ON \S+ CANCELLED",
    ),
    (
        CRASH,
        r"error while loading shared libraries|Caught signal \d+|MPI_A(bort|BORT) (was )?(invoked|called)",
    ),
    (CRASH, r"unhandled (system|cuda) error|remote process exited or there was a network error"),
    (USAGE, r"Reducing maxBytes to \d+ due to memory limitation"),
    (USAGE, r"Invalid number of GPUs: |Incompatible NCCL versions|invalid option|Usage: \S*_perf"),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _TABLE)
# Nearly every line tells of nothing: one pattern says so sooner than one after another.
_ANY = re.compile("|".join(f"(?:{pattern})" for _, pattern in _TABLE))


@dataclass(frozen=True)
class Failure:
    """One line that tells of a failure: its kind, its number (from 1) and its text, cut at 300 characters."""

    kind: str
    line: int
    text: str


def find_failure(number: int, line: str) -> Failure | None:
    """What the line tells of a failure; the first kind that matches counts. ``number`` counts from 1."""
    if not _ANY.search(line):
        return None
    for kind, pattern in _PATTERNS:
        if pattern.search(line):
            return Failure(kind, number, line.strip()[:300])
    return None
