"""Which job has this node, and which of its GPUs: noted by the prolog, taken away by the epilog.

Two readers. dcgm-exporter's ``--hpc-job-mapping-dir`` (a file for each GPU, named by the GPU's index, with
ids of jobs, one a line) labels GPU series with ``hpc_job``; our own collector makes ``bedplate_job_node`` of
the other files. Both folders are in memory, so that a boot clears what an epilog could not. Nothing here may
fail a job: whoever calls is told nothing of an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Tuple

from bedplate.node.bootstrap.places import GPU_JOBS, JOBS, SLURM_NAME
from bedplate.node.file_lock import take_lock
from bedplate.node.identity import node_root

_LOCK = "/run/bedplate/job-marks.lock"
_LOCK_SECONDS = 2.0
_JOB_ID = re.compile(r"[0-9]{1,10}", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", re.ASCII)
_MINOR = re.compile(r"^Device Minor:\s*([0-9]{1,3})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class JobMark:
    """One job on this node. ``gpus`` are indices as DCGM counts them; ``name`` is empty until it is asked
    for, since slurmd does not tell a prolog of it.
    """

    job_id: str
    gpus: Tuple[int, ...] = ()
    partition: str = ""
    account: str = ""
    name: str = ""


def note_job(environment: Mapping[str, str] = os.environ) -> None:
    """In a prolog. A job without GPUs is noted too."""
    with _nothing_fails("noted"):
        job_id = _job_id(environment)
        if not job_id:
            return
        indices = gpu_indices(environment.get("SLURM_JOB_GPUS", ""), minors=gpu_minors())
        mark = JobMark(
            job_id,
            indices,
            environment.get("SLURM_JOB_PARTITION", ""),
            environment.get("SLURM_JOB_ACCOUNT", ""),
        )
        with _locked():
            write_mark(mark)
            for index in indices:
                path = _gpu_file(index)
                _write(path, [*(each for each in _lines(path) if each != job_id), job_id])


def forget_job(environment: Mapping[str, str] = os.environ) -> None:
    """In an epilog."""
    with _nothing_fails("taken away"):
        job_id = _job_id(environment)
        if not job_id:
            return
        with _locked():
            (_folder(JOBS) / job_id).unlink(missing_ok=True)
            for path in _files(_folder(GPU_JOBS)):
                found = _lines(path)
                if job_id in found:
                    _write(path, [each for each in found if each != job_id])


def marks() -> List[JobMark]:
    """The jobs that have this node now; what cannot be read is none."""
    found = []
    for path in _files(_folder(JOBS)):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            data["gpus"] = tuple(int(each) for each in data["gpus"])
            found.append(JobMark(**data))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def write_mark(mark: JobMark) -> None:
    """Note a job, or what was learnt of it."""
    _write(_folder(JOBS) / mark.job_id, [json.dumps(asdict(mark))])


def rename_job(mark: JobMark) -> None:
    """Note what was learnt of a job that still has the node."""
    with _locked():
        if (_folder(JOBS) / mark.job_id).exists():
            write_mark(mark)


def note_slurm_name(environment: Mapping[str, str] = os.environ) -> None:
    """In any hook: the node's name in Slurm, which nothing but slurmd tells on a node."""
    with _nothing_fails("told the node's name"):
        name = environment.get("SLURMD_NODENAME", "")
        path = _folder(SLURM_NAME)
        if name and _lines(path) != [name]:
            _write(path, [name])


def gpu_indices(text: str, *, minors: Mapping[int, int]) -> Tuple[int, ...]:
    """Indices of ``SLURM_JOB_GPUS`` (``0,2-3``), from the numbers of their device files to DCGM's."""
    numbers: List[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is not None:
            first, last = int(match.group(1)), int(match.group(2) or match.group(1))
            numbers.extend(range(first, last + 1))
    return tuple(sorted({minors.get(number, number) for number in numbers}))


def gpu_minors() -> Dict[int, int]:
    """Number of ``/dev/nvidiaN`` → index in the order of PCI addresses, which is NVML's and so DCGM's."""
    folder = Path(node_root() + "/proc/driver/nvidia/gpus")
    try:
        devices = sorted(folder.iterdir(), key=lambda path: path.name.lower())
    except OSError:
        return {}
    found: Dict[int, int] = {}
    for index, device in enumerate(devices):
        with contextlib.suppress(OSError):
            match = _MINOR.search((device / "information").read_text(encoding="utf-8", errors="replace"))
            if match is not None:
                found[int(match.group(1))] = index
    return found if len(found) == len(devices) else {}


def _job_id(environment: Mapping[str, str]) -> str:
    job_id = environment.get("SLURM_JOB_ID", "")
    return job_id if _JOB_ID.fullmatch(job_id) else ""


@contextlib.contextmanager
def _nothing_fails(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - a job is worth more than its label
        print(f"bedplate: the job could not be {what}: {type(error).__name__}: {error}", file=sys.stderr)


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Several jobs may begin and end on a node at once. Who waits too long goes on without the lock: a wrong
    label is less than a late job.
    """
    until = time.monotonic() + _LOCK_SECONDS
    path = Path(node_root() + _LOCK)
    lock = take_lock(path)
    while lock is None and time.monotonic() < until:
        time.sleep(0.02)
        lock = take_lock(path)
    try:
        yield
    finally:
        if lock is not None:
            lock.close()


def _folder(place: str) -> Path:
    return Path(node_root() + place)


def _gpu_file(index: int) -> Path:
    return _folder(GPU_JOBS) / str(index)


def _files(folder: Path) -> List[Path]:
    try:
        return sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError:
        return []


def _lines(path: Path) -> List[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except OSError:
        return []


def _write(path: Path, lines: List[str]) -> None:
    """Whole or not at all; an empty one is taken away. The partial file lies outside the folder, in which
    dcgm-exporter takes every file for a GPU.
    """
    if not lines:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.parent.with_name(f".{path.parent.name}-{path.name}.{os.getpid()}")
    partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    partial.chmod(0o644)
    partial.replace(path)
