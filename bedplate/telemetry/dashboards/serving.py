"""Training and inference: steps, tokens and loss; time to first token, time between tokens, who waits."""

from __future__ import annotations

from bedplate.telemetry.dashboards import units, variables
from bedplate.telemetry.dashboards.links import SERVING, to_job_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines
from bedplate.telemetry.dashboards.queries import Query, now, over_time
from bedplate.telemetry.dashboards.scope import POOL
from bedplate.telemetry.dashboards.table import Column, listing

_RATE = "[$__rate_interval]"
_BY_MODEL = "by (model_name)"
_VLLM, _SGLANG = "vllm {{model_name}}", "sglang {{model_name}}"


def _of_both(metric: str, share: float, word: str) -> tuple[Query, Query]:
    """A quantile of a histogram that vLLM and SGLang both have, by model."""
    vllm, sglang = (
        over_time(
            f"histogram_quantile({share}, sum by (le, model_name)"
            f" (rate({program}:{metric}_bucket{{{POOL}}}{_RATE})))",
            f"{program} {{{{model_name}}}} {word}",
        )
        for program in ("vllm", "sglang")
    )
    return vllm, sglang


_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "Training jobs that tell",
                "Jobs whose program says what its steps take.",
                now(f"count(count by (hpc_job) (bedplate_training_steps_total{{{POOL}}}))"),
            ),
            figure(
                "Tokens trained a second",
                "Of all jobs that tell.",
                now(f"sum(rate(bedplate_training_tokens_total{{{POOL}}}{_RATE}))"),
            ),
            figure(
                "Models served",
                "By vLLM and SGLang.",
                now(
                    f"count(count by (model_name) (vllm:num_requests_running{{{POOL}}}"
                    f" or sglang:num_running_reqs{{{POOL}}}))"
                ),
            ),
            figure(
                "Requests at work",
                "Of all servers.",
                now(f"sum(vllm:num_requests_running{{{POOL}}} or sglang:num_running_reqs{{{POOL}}})"),
            ),
            figure(
                "Requests that wait",
                "Of all servers: more than a few for long means too few servers.",
                now(f"sum(vllm:num_requests_waiting{{{POOL}}} or sglang:num_queue_reqs{{{POOL}}})"),
            ),
            figure(
                "Fullest cache",
                "The highest share of a server's key-value cache in use; at its end requests wait.",
                now(f"max(vllm:kv_cache_usage_perc{{{POOL}}} or sglang:token_usage{{{POOL}}})"),
                unit=units.SHARE,
            ),
        ),
    ),
)

_TRAINING = Band(
    title="Training",
    lines=(
        (
            lines(
                "Step by job",
                "What the last step took, mean over the job's ranks that tell.",
                over_time(f"avg by (hpc_job) (bedplate_training_step_seconds{{{POOL}}})", "job {{hpc_job}}"),
                unit=units.SECONDS,
                width=8,
            ),
            lines(
                "Tokens by job",
                "A second.",
                over_time(
                    f"sum by (hpc_job) (rate(bedplate_training_tokens_total{{{POOL}}}{_RATE}))",
                    "job {{hpc_job}}",
                ),
                width=8,
            ),
            lines(
                "Loss by job",
                "Of the last step.",
                over_time(f"avg by (hpc_job) (bedplate_training_loss{{{POOL}}})", "job {{hpc_job}}"),
                unit=units.NONE,
                width=8,
            ),
        ),
        (
            listing(
                "Training jobs",
                "Jobs that tell, as they are now. A click on a job opens it.",
                Column(
                    title="steps",
                    expression=f"max by (hpc_job) (bedplate_training_steps_total{{{POOL}}})",
                ),
                Column(
                    title="step",
                    expression=f"avg by (hpc_job) (bedplate_training_step_seconds{{{POOL}}})",
                    unit=units.SECONDS,
                ),
                Column(
                    title="tokens a second",
                    expression=f"sum by (hpc_job) (rate(bedplate_training_tokens_total{{{POOL}}}{_RATE}))",
                ),
                Column(
                    title="tokens a second and GPU",
                    expression=f"sum by (hpc_job) (rate(bedplate_training_tokens_total{{{POOL}}}{_RATE}))"
                    f" / count by (hpc_job) (DCGM_FI_DEV_GPU_TEMP{{{POOL}}})",
                ),
                Column(
                    title="loss",
                    expression=f"avg by (hpc_job) (bedplate_training_loss{{{POOL}}})",
                    unit=units.NONE,
                ),
                Column(
                    title="SM activity",
                    expression=f"avg by (hpc_job) (DCGM_FI_PROF_SM_ACTIVE{{{POOL}}})"
                    f" and on (hpc_job) bedplate_training_steps_total{{{POOL}}}",
                    unit=units.SHARE,
                ),
                labels=(("hpc_job", "job"),),
                links={"hpc_job": to_job_of_cell()},
                height=6,
            ),
        ),
    ),
)

_INFERENCE = Band(
    title="Inference (vLLM, SGLang)",
    lines=(
        (
            lines(
                "Time to first token",
                "What half of the requests wait at most, and what 99 of 100 do.",
                *_of_both("time_to_first_token_seconds", 0.5, "half"),
                *_of_both("time_to_first_token_seconds", 0.99, "99 %"),
                unit=units.SECONDS,
            ),
            lines(
                "Time between tokens",
                "What half of the tokens take at most, and what 99 of 100 do.",
                *_of_both("inter_token_latency_seconds", 0.5, "half"),
                *_of_both("inter_token_latency_seconds", 0.99, "99 %"),
                unit=units.SECONDS,
            ),
        ),
        (
            lines(
                "Requests by model",
                "At work.",
                over_time(f"sum {_BY_MODEL} (vllm:num_requests_running{{{POOL}}})", "vllm {{model_name}}"),
                over_time(f"sum {_BY_MODEL} (sglang:num_running_reqs{{{POOL}}})", "sglang {{model_name}}"),
                width=8,
            ),
            lines(
                "Waiting requests by model",
                "In the servers' queues.",
                over_time(f"sum {_BY_MODEL} (vllm:num_requests_waiting{{{POOL}}})", "vllm {{model_name}}"),
                over_time(f"sum {_BY_MODEL} (sglang:num_queue_reqs{{{POOL}}})", _SGLANG),
                width=8,
            ),
            lines(
                "Cache in use by model",
                "The fullest server of each model.",
                over_time(f"max {_BY_MODEL} (vllm:kv_cache_usage_perc{{{POOL}}})", _VLLM),
                over_time(f"max {_BY_MODEL} (sglang:token_usage{{{POOL}}})", _SGLANG),
                unit=units.SHARE,
                width=8,
                top=1,
            ),
        ),
    ),
)


def serving() -> Page:
    """What programs tell of themselves, where they do."""
    return Page(
        uid=SERVING,
        title="training and inference",
        description="Steps, tokens and loss of training; latencies, queues and caches of inference.",
        variables=(variables.environment(), variables.pool()),
        bands=(_NOW, _TRAINING, _INFERENCE),
    )
