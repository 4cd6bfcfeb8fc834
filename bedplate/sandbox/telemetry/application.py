"""What jobs tell of themselves in a simulated cluster: training, requests that are served, collectives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.timeline import Stretch
from bedplate.telemetry.exposition import Sample, sample

_STEP_S = 2.5
_TOKENS_A_STEP = 4_194_304
_MODEL = {"model_name": "demo-70b"}
_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
_REQUESTS_PER_S = 20.0
# Collective → (bus bandwidth in GB/s at the largest size, time in µs).
_COLLECTIVES = {"AllReduce": (470.0, 8_400.0), "AllGather": (360.0, 4_100.0)}
_OVER_TCP = 0.05
"""What is left of the bandwidth without any EFA device."""
_SIZE = "1-2GB"
"""NCCL Inspector writes ranges of sizes (NVIDIA/nccl: plugins/profiler/inspector)."""


def application_samples(view: View) -> Iterator[Sample]:
    """Of the job that has the node: asked of the job's first node alone."""
    job = view.job
    if job is None:
        return
    if job.serves:
        yield from _server(view, job.serves)
    else:
        yield from _training(view, job.job_id)


def _training(view: View, job_id: str) -> Iterator[Sample]:
    steps = int(view.total(lambda each: view.works(each) / (_STEP_S * _slowness(each))))
    step_s = _STEP_S * _slowness(view.stretch) * (1 + 0.02 * view.jitter("step"))
    yield sample("bedplate_training_step_seconds", round(step_s, 4), hpc_job=job_id)
    yield sample("bedplate_training_steps_total", steps, hpc_job=job_id)
    yield sample("bedplate_training_tokens_total", steps * _TOKENS_A_STEP, hpc_job=job_id)
    loss = 1.7 + 9.0 / math.sqrt(steps + 4) + 0.01 * view.jitter("loss")
    yield sample("bedplate_training_loss", round(loss, 5), hpc_job=job_id)


def _slowness(stretch: Stretch) -> float:
    effects = stretch.effects
    slow = min((speed for _, speed in effects.slow_gpus), default=1.0)
    if effects.throttled_gpus or stretch.situation.slow_clock_gpu >= 0:
        slow = min(slow, 0.6)
    if effects.socket or effects.wrong_plugin:
        slow = min(slow, 0.2)
    return stretch.situation.step_factor / (slow * effects.fabric_speed * effects.together_speed)


def _server(view: View, server: str) -> Iterator[Sample]:
    requests = int(view.total(lambda each: _REQUESTS_PER_S * view.works(each)))
    running, waiting = (32, view.situation.waiting_requests) if view.is_working else (0, 0)
    names = {
        "vllm": ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"),
        "sglang": ("num_running_reqs", "num_queue_reqs", "token_usage"),
    }[server]
    yield from _histogram(f"{server}:time_to_first_token_seconds", requests, typical_s=0.18)
    yield from _histogram(f"{server}:inter_token_latency_seconds", requests * 200, typical_s=0.02)
    for name, value in zip(names, (running, waiting, 0.55 if running else 0.0), strict=True):
        yield sample(f"{server}:{name}", value, **_MODEL)


def _histogram(name: str, count: int, *, typical_s: float) -> Iterator[Sample]:
    for bound in _BUCKETS:
        share = 1 - math.exp(-bound / typical_s)
        yield sample(f"{name}_bucket", int(count * share), **_MODEL, le=f"{bound:g}")
    yield sample(f"{name}_bucket", count, **_MODEL, le="+Inf")
    yield sample(f"{name}_sum", round(count * typical_s, 3), **_MODEL)
    yield sample(f"{name}_count", count, **_MODEL)


def nccl_samples(view: View, others: Sequence[View]) -> Iterator[Sample]:
    """What NCCL Inspector writes on a node of a training job; ``others`` are all nodes of its job, of which
    the slowest sets the pace.
    """
    job = view.job
    if job is None or job.serves or not view.is_working:
        return
    share = min(_network_share(each) for each in others)
    ranks = sum(each.truth.hardware.gpus for each in others)
    for name, (bandwidth, time_us) in _COLLECTIVES.items():
        labels = {"collective": name, "message_size": _SIZE, "nranks": str(ranks)}
        labels |= {"n_nodes": str(len(others)), "hostname": view.truth.hostname, "slurm_job_id": job.job_id}
        noise = 1 + 0.01 * view.jitter(name)
        yield sample("nccl_bus_bandwidth_gbs", round(bandwidth * share * noise, 3), **labels)
        yield sample("nccl_collective_exec_time_microseconds", round(time_us / share / noise, 1), **labels)


def _network_share(view: View) -> float:
    effects = view.stretch.effects
    if effects.socket or effects.wrong_plugin:
        return _OVER_TCP
    devices = [speed for _, speed in (*effects.slow_efas, *effects.faulty_efas)]
    links = [speed for _, speed in effects.slow_links]
    slow = min([1.0, *links, *(max(speed, 0.1) for speed in devices)])
    if effects.lost_efas:
        slow = min(slow, 1 - len(effects.lost_efas) / max(view.truth.hardware.efa_count, 1))
    share = slow * effects.fabric_speed * effects.together_speed * effects.nvlink_speed
    return max(share, _OVER_TCP)
