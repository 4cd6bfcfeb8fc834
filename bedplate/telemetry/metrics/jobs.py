"""What jobs tell of themselves: training steps, NCCL's collectives, requests that are served."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporters import APPLICATION, NCCL_INSPECTOR
from bedplate.telemetry.metrics.metric import Kind, Metric

_JOB = ("hpc_job",)
_VLLM = "vLLM documentation: Production metrics"
_SGLANG = "sgl-project/sglang: python/sglang/srt/metrics/collector.py"
_OURS = "docs/observability.md: Applications"
_INSPECTOR = "NVIDIA/nccl: plugins/profiler/inspector"

# Name, kind, unit, labels, help, source.
_APPLICATION_ROWS: tuple[tuple[str, Kind, str, tuple[str, ...], str, str], ...] = (
    ("bedplate_training_step_seconds", "gauge", "seconds", _JOB, "what the last step took", _OURS),
    ("bedplate_training_steps_total", "counter", "1", _JOB, "steps since the job began", _OURS),
    ("bedplate_training_tokens_total", "counter", "1", _JOB, "tokens since the job began", _OURS),
    ("bedplate_training_loss", "gauge", "1", _JOB, "loss of the last step", _OURS),
    (
        "vllm:time_to_first_token_seconds",
        "histogram",
        "seconds",
        ("model_name",),
        "time to first token",
        _VLLM,
    ),
    ("vllm:inter_token_latency_seconds", "histogram", "seconds", ("model_name",), "between tokens", _VLLM),
    ("vllm:num_requests_running", "gauge", "1", ("model_name",), "requests at work", _VLLM),
    ("vllm:num_requests_waiting", "gauge", "1", ("model_name",), "requests that wait", _VLLM),
    ("vllm:kv_cache_usage_perc", "gauge", "ratio", ("model_name",), "share of the cache in use", _VLLM),
    (
        "sglang:time_to_first_token_seconds",
        "histogram",
        "seconds",
        ("model_name",),
        "time to first token",
        _SGLANG,
    ),
    (
        "sglang:inter_token_latency_seconds",
        "histogram",
        "seconds",
        ("model_name",),
        "between tokens",
        _SGLANG,
    ),
    ("sglang:num_running_reqs", "gauge", "1", ("model_name",), "requests at work", _SGLANG),
    ("sglang:num_queue_reqs", "gauge", "1", ("model_name",), "requests that wait", _SGLANG),
    ("sglang:token_usage", "gauge", "ratio", ("model_name",), "share of the cache in use", _SGLANG),
)
APPLICATION_METRICS = tuple(
    Metric(
        name=name,
        kind=kind,
        unit=unit,
        help=text,
        exporter=APPLICATION,
        labels=labels,
        series_per="job" if labels == _JOB else "server",
        source=source,
    )
    for name, kind, unit, labels, text, source in _APPLICATION_ROWS
)

_NCCL_LABELS = ("collective", "message_size", "nranks", "n_nodes", "hostname", "slurm_job_id")
NCCL_METRICS = tuple(
    Metric(
        name=name,
        kind="gauge",
        unit=unit,
        help=text,
        exporter=NCCL_INSPECTOR,
        labels=_NCCL_LABELS,
        series_per="job, collective and size",
        source=_INSPECTOR,
    )
    for name, unit, text in (
        ("nccl_bus_bandwidth_gbs", "GB/s", "bus bandwidth of a job's collectives"),
        ("nccl_collective_exec_time_microseconds", "us", "what a collective took"),
    )
)
