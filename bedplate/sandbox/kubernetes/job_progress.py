"""How far a Job is, read from its pods: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bedplate.sandbox.kubernetes.placement import ENDED
from bedplate.sandbox.kubernetes.store import Object

INDEX = "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True)
class Progress:
    """The pods of a Job, by what became of them; indexes only where the Job is Indexed."""

    active: tuple[Object, ...]
    succeeded: int
    failed: int
    done_indexes: tuple[int, ...]
    failed_indexes: tuple[int, ...]
    to_start: tuple[int | None, ...]
    finished: tuple[str, str, str] | None
    """(condition, reason, message) once the Job ends by its own account."""


def progress_of(job: Object, pods: Sequence[Object]) -> Progress:
    """Where a Job stands, and the pods that it should start now. What its status has counted stays counted
    when the pod is gone.
    """
    spec, counted = job["spec"], job.get("status") or {}
    phases = [(pod, (pod.get("status") or {}).get("phase")) for pod in pods]
    active = tuple(
        p for p, phase in phases if phase not in ENDED and not p["metadata"].get("deletionTimestamp")
    )
    good = [pod for pod, phase in phases if phase == "Succeeded"]
    bad = [pod for pod, phase in phases if phase == "Failed"]
    indexed = spec.get("completionMode") == "Indexed"
    before = from_intervals(counted.get("completedIndexes", ""))
    done = sorted({*before, *(_index(pod) for pod in good)}) if indexed else []
    per_index = spec.get("backoffLimitPerIndex")
    failures = Counter(_index(pod) for pod in bad) if indexed else Counter[int]()
    over = {i for i, n in failures.items() if per_index is not None and n > per_index}
    lost = sorted({*over, *from_intervals(counted.get("failedIndexes", ""))} - set(done))
    failed = max(len(bad), counted.get("failed", 0))
    completions = spec.get("completions")
    succeeded = len(done) if indexed else max(len(good), counted.get("succeeded", 0))
    finished = None
    if failed > spec["backoffLimit"]:
        finished = "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    elif len(lost) > spec.get("maxFailedIndexes", len(lost)):
        finished = (
            "Failed",
            "MaxFailedIndexesExceeded",
            "Job has exceeded the specified maximal number of failed indexes",
        )
    elif lost and len(lost) + len(done) >= (completions or 0):
        finished = "Failed", "FailedIndexes", "Job has failed indexes"
    elif succeeded >= completions if completions is not None else bool(good) and not active:
        finished = "Complete", "CompletionsReached", "Reached expected number of succeeded pods"
    starts: Sequence[int | None] = []
    if finished is None and not spec.get("suspend"):
        leaving = [p for p, phase in phases if phase not in ENDED and p not in active]
        # By default a pod that is being deleted is replaced at once; by the policy Failed once it has ended.
        held = leaving if spec.get("podReplacementPolicy") == "Failed" else []
        settled = (*done, *lost)
        starts = _starts(
            spec, [*active, *held], succeeded, indexed=indexed, settled=settled, any_good=bool(good)
        )
    return Progress(active, succeeded, failed, tuple(done), tuple(lost), tuple(starts), finished)


def _starts(
    spec: Object,
    active: Sequence[Object],
    succeeded: int,
    *,
    indexed: bool,
    settled: Sequence[int],
    any_good: bool,
) -> Sequence[int | None]:
    room = spec.get("parallelism", 1) - len(active)
    if room <= 0:
        return []
    if indexed:
        taken = {*settled, *(_index(pod) for pod in active)}
        return [i for i in range(spec["completions"]) if i not in taken][:room]
    completions = spec.get("completions")
    if completions is None:
        return [] if any_good else [None] * room
    return [None] * max(0, min(room, completions - succeeded - len(active)))


def as_intervals(indexes: Iterable[int]) -> str:
    """Indexes as a Job's status writes them: ``0-2,5``."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def from_intervals(text: str) -> list[int]:
    """The inverse of ``as_intervals``."""
    ends = [part.partition("-") for part in text.split(",") if part]
    return [index for low, _, high in ends for index in range(int(low), int(high or low) + 1)]


def _index(pod: Object) -> int:
    return int(pod["metadata"]["annotations"][INDEX])
