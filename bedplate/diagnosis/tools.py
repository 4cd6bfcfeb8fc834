"""The tools that a node is asked to run, by their exact command lines.

The node program runs these, the controller finds their output by them, and the simulated fleet answers
them: one place, so that the three cannot drift apart. A tool's run travels as ``{"tool", "argv", "rc" (null
if it was killed or never started), "timed_out", "seconds", "stdout", "stderr"}`` in the answer's ``tools``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bedplate.diagnosis.gpu_tools import GPU_TOOLS
from bedplate.diagnosis.host_tools import HOST_TOOLS
from bedplate.diagnosis.storage_tools import STORAGE_TOOLS

GPU_FIELDS = (
    "index",
    "uuid",
    "pci.bus_id",
    "name",
    "driver_version",
    "vbios_version",
    "memory.total",
    "ecc.mode.current",
    "ecc.errors.uncorrected.volatile.total",
    "remapped_rows.correctable",
    "remapped_rows.uncorrectable",
    "remapped_rows.pending",
    "remapped_rows.failure",
)

NVIDIA_SMI = ("nvidia-smi", "--query-gpu=" + ",".join(GPU_FIELDS), "--format=csv")
COMPUTE_APPS = ("nvidia-smi", "--query-compute-apps=pid,process_name,gpu_uuid", "--format=csv")
DCGMI_NVLINK = ("dcgmi", "nvlink", "-s")
FI_INFO = ("fi_info", "-p", "efa", "-t", "FI_EP_RDM")
KERNEL_LOG = ("journalctl", "-k", "-b", "0", "--no-pager", "-o", "short-iso", "--show-cursor")
"""The cursor comes after all entries: a log without it broke off."""
KERNEL_LOG_LINES = 200_000
"""A storm of messages is read in pieces."""
UNAME = ("uname", "-r")
EFA_DRIVER_VERSION = ("modinfo", "-F", "version", "efa")
DCGM_VERSION = ("dcgmi", "--version")
LIBFABRIC_VERSION = ("fi_info", "--version")

PROBE_TOOLS = (
    NVIDIA_SMI,
    DCGMI_NVLINK,
    FI_INFO,
    KERNEL_LOG,
    UNAME,
    EFA_DRIVER_VERSION,
    DCGM_VERSION,
    LIBFABRIC_VERSION,
    *GPU_TOOLS,
    *HOST_TOOLS,
    *STORAGE_TOOLS,
)


def kernel_log_part_argv(*, after: str = "") -> tuple[str, ...]:
    """The command line for the kernel log behind the entry of this cursor; without one, for its end."""
    words = (*KERNEL_LOG, f"--lines={KERNEL_LOG_LINES}")
    return (*words, f"--after-cursor={after}") if after else words


def dcgm_diag_argv(*, level: int) -> tuple[str, ...]:
    """The command line of ``dcgmi diag`` at a level from 1 to 4, with JSON output."""
    return ("dcgmi", "diag", "-r", str(level), "-j")


def in_node_collective_argv(*, collective: str, gpus: int) -> tuple[str, ...]:
    """The command line of a collective inside one node: one process that drives every GPU."""
    return (
        f"{collective}_perf",
        "-b",
        "8",
        "-e",
        "16G",
        "-f",
        "2",
        "-g",
        str(gpus),
        "-n",
        "20",
        "-w",
        "5",
        "-c",
        "1",
    )


@dataclass(frozen=True)
class ToolRun:
    """One run of one tool on a node; ``rc`` is None where it was killed or never started."""

    argv: tuple[str, ...]
    rc: int | None
    timed_out: bool
    seconds: float
    stdout: str
    stderr: str
    truncated: bool = False

    def problem(self) -> str | None:
        """Why the output cannot be trusted, in words; None where the tool ended well."""
        name = " ".join(self.argv[:3])
        if self.timed_out:
            return f"`{name}` ran past its deadline after {self.seconds:.0f} s"
        if self.truncated:
            return f"`{name}` printed more than is kept: its output is partial"
        if self.rc is None:
            return f"`{name}` did not run or was killed: {_last_line(self.stderr)}"
        if self.rc != 0:
            return f"`{name}` ended with status {self.rc}: {_last_line(self.stderr or self.stdout)}"
        return None


def find_run(*, answer: Mapping[str, object], argv: Sequence[str]) -> ToolRun | None:
    """The one run of ``argv`` in a node's answer; None where it is missing, malformed, or there twice.

    The program is compared by its last path component, the arguments exactly.
    """
    runs = answer.get("tools")
    if not isinstance(runs, list):
        return None
    found = [run for run in (run_of(entry) for entry in runs) if run is not None and _same(run.argv, argv)]
    return found[0] if len(found) == 1 else None


def _same(left: Sequence[str], right: Sequence[str]) -> bool:
    return bool(left) and PurePosixPath(left[0]).name == right[0] and tuple(left[1:]) == tuple(right[1:])


def run_of(entry: object) -> ToolRun | None:
    """One entry of an answer's ``tools`` as a run; None where it is malformed."""
    if not isinstance(entry, dict):
        return None
    argv, rc, seconds = entry.get("argv"), entry.get("rc"), entry.get("seconds")
    stdout, stderr, timed_out = entry.get("stdout"), entry.get("stderr"), entry.get("timed_out")
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        return None
    if not (rc is None or (isinstance(rc, int) and not isinstance(rc, bool))) or not isinstance(
        timed_out, bool
    ):
        return None
    if not isinstance(stdout, str) or not isinstance(stderr, str):
        return None
    length = float(seconds) if isinstance(seconds, (int, float)) else 0.0
    return ToolRun(
        tuple(argv), rc, timed_out, length, stdout, stderr, entry.get("truncated", False) is not False
    )


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
