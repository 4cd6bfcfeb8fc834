"""What Slurm tells of a simulated cluster: by slurmctld itself, and by our program on the login node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bedplate.sandbox.telemetry.node import View
from bedplate.telemetry.exposition import Sample, sample
from bedplate.telemetry.metrics.slurmctld import PATHS

PENDING_JOBS = 3
"""Jobs that wait, whatever happens."""


def slurm_state(view: View) -> str:
    """One word, as sinfo has it."""
    if view.stretch.effects.unreachable or view.situation.slurm_down:
        return "down"
    if view.situation.drain:
        return "draining" if view.job else "drained"
    return "allocated" if view.job else "idle"


def slurm_samples(views: Sequence[View]) -> Iterator[Sample]:
    """What our program on the login node writes of the compute nodes."""
    gpus: Counter[tuple[str, str]] = Counter()
    jobs: Counter[tuple[str, str]] = Counter()
    running: set[str] = set()
    for view in views:
        state = slurm_state(view)
        partition = ",".join(view.truth.partitions)
        labels = {"slurm_node": view.truth.slurm_name or "", "slurm_partition": partition, "state": state}
        yield sample("bedplate_slurm_node_state", 1, **labels, ours=_is_ours(view))
        for name in view.truth.partitions:
            gpus[name, "configured"] += view.truth.hardware.gpus
            gpus[name, "allocated"] += view.truth.hardware.gpus if view.job else 0
            jobs[name, "pending"] = PENDING_JOBS
            if view.job and view.job.job_id not in running:
                jobs[name, "running"] += 1
        running.add(view.hpc_job)
    for (partition, state), count in sorted(gpus.items()):
        yield sample("bedplate_slurm_gpus", count, slurm_partition=partition, state=state)
    for (partition, state), count in sorted(jobs.items()):
        yield sample("bedplate_slurm_jobs", count, slurm_partition=partition, state=state)


def _is_ours(view: View) -> str:
    return "true" if view.situation.drain == "ours" else "false"


def slurmctld_samples(path: str, views: Sequence[View]) -> Iterator[Sample]:
    """What slurmctld itself serves at one of its paths. Partitions and the scheduler have nothing that the
    table of metrics takes.
    """
    if path not in PATHS:
        raise KeyError(path)
    for name, count in _counts(views).get(path, {}).items():
        yield sample(name, count)


def _counts(views: Sequence[View]) -> Mapping[str, Mapping[str, int]]:
    states = Counter(slurm_state(view) for view in views)
    running = len({view.hpc_job for view in views if view.job})
    return {
        "/metrics/jobs": {
            "slurm_jobs": running + PENDING_JOBS,
            "slurm_jobs_running": running,
            "slurm_jobs_pending": PENDING_JOBS,
        },
        "/metrics/nodes": {
            "slurm_nodes": len(views),
            "slurm_nodes_idle": states["idle"],
            "slurm_nodes_alloc": states["allocated"],
            "slurm_nodes_mixed": 0,
            "slurm_nodes_down": states["down"],
            "slurm_nodes_drain": states["drained"] + states["draining"],
        },
    }
