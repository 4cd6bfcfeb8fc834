"""Jobs that stand still, and GPUs that hold the others of their job up."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import CLUSTER, GPU, JOB, ON_GPU

_COLLECTIVE = f"{CLUSTER}, slurm_job_id, collective, message_size, n_nodes"
_IN_JOB = '{hpc_job!=""}'

ALERTS = (
    Alert(
        name="JobStalled",
        expression=(
            f"avg by ({JOB}) (DCGM_FI_PROF_SM_ACTIVE{_IN_JOB}) < 0.05 "
            f"and on ({JOB}) min by ({JOB}) (DCGM_FI_DEV_FB_USED{_IN_JOB}) > 1024"
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="job",
        summary="Job {{ $labels.hpc_job }} holds GPUs with data in their memory and does nothing with them.",
        meaning="It waits: for data, for a checkpoint, for a rank that is gone, or for its user.",
        action="Look at its log and at Lustre; end it if its user does not answer.",
        dashboard="bedplate-job",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (1002)",
        own_choice="5 % over 15 minutes, with a GiB in use on each GPU",
    ),
    Alert(
        name="JobSpins",
        expression=(
            f"avg by ({JOB}) (DCGM_FI_DEV_GPU_UTIL{_IN_JOB}) > 95 "
            f"and on ({JOB}) max by ({JOB}) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{_IN_JOB}) < 0.005"
        ),
        hold_for_minutes=15,
        severity="ticket",
        scope="job",
        summary="Job {{ $labels.hpc_job }} keeps its GPUs busy without a single matrix product.",
        meaning="A collective that hangs spins: utilization shows 100 %, and the tensor cores rest.",
        action="Ask NCCL which rank is missing (`ncclras`), or read PyTorch's flight recorder.",
        dashboard="bedplate-job",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (203, 1004); NVIDIA NCCL documentation: RAS",
        own_choice="0.5 % over 15 minutes at 95 % utilization",
    ),
    Alert(
        name="TrainingStopped",
        expression=f"max by ({JOB}) (increase(bedplate_training_steps_total[30m])) == 0",
        hold_for_minutes=10,
        severity="ticket",
        scope="job",
        summary="Job {{ $labels.hpc_job }} has made no training step for half an hour.",
        meaning="The job itself counts its steps, and counts none.",
        action="Look at its log; ask NCCL which rank is missing (`ncclras`).",
        dashboard="bedplate-job",
        source="docs/observability.md: Applications",
        own_choice="30 minutes",
    ),
    Alert(
        name="GpuStraggler",
        expression=(
            f"max by ({GPU}, hpc_job) (DCGM_FI_DEV_SM_CLOCK{_IN_JOB}) < on ({JOB}) group_left "
            f"0.8 * quantile by ({JOB}) (0.5, DCGM_FI_DEV_SM_CLOCK{_IN_JOB}) "
            f"and on ({GPU}) max by ({GPU}) (DCGM_FI_DEV_GPU_UTIL) > 50"
        ),
        hold_for_minutes=10,
        severity="ticket",
        scope="gpu",
        summary=f"{ON_GPU} runs at {{{{ $value }}}} MHz, slower "
        "than the others of job {{ $labels.hpc_job }}.",
        meaning="A synchronous job is as fast as its slowest GPU.",
        action="Look for heat and power limits of the GPU; drain the node after the job.",
        dashboard="bedplate-job",
        source="NVIDIA/DCGM: dcgmlib/dcgm_fields.h (100)",
        own_choice="20 % below the job's median over 10 minutes",
    ),
    Alert(
        name="TrainingSlower",
        # What the job's median was: one long step, as with a checkpoint, is none.
        expression=(
            f"max by ({JOB}) (avg_over_time(bedplate_training_step_seconds[15m])) "
            f"> 1.5 * max by ({JOB}) (quantile_over_time(0.5, bedplate_training_step_seconds[6h]))"
        ),
        hold_for_minutes=10,
        severity="ticket",
        scope="job",
        summary='Steps of job {{ $labels.hpc_job }} take {{ printf "%.1f" $value }} s, '
        "half as long again as before.",
        meaning="It is slower than it was: a GPU, a node, the fabric or the file system has become slow.",
        action="Look at the job's page for the GPU, device or node that is unlike the others.",
        dashboard="bedplate-job",
        source="docs/observability.md: Applications",
        own_choice="half as long again as the median of six hours",
    ),
    Alert(
        name="NcclSlower",
        expression=(
            f"avg by ({_COLLECTIVE}) (avg_over_time(nccl_bus_bandwidth_gbs[15m])) "
            f"< 0.75 * avg by ({_COLLECTIVE}) (avg_over_time(nccl_bus_bandwidth_gbs[6h]))"
        ),
        hold_for_minutes=10,
        severity="ticket",
        scope="job",
        summary="{{ $labels.collective }} of job {{ $labels.slurm_job_id }} reaches "
        '{{ printf "%.0f" $value }} GB/s, three quarters of what it did or less.',
        meaning="The same collective of the same size is slower than in the hours before.",
        action="Look for a node or device that is unlike the others; run `bedplate validate` after the job.",
        dashboard="bedplate-efa",
        source="NVIDIA/nccl: plugins/profiler/inspector",
        own_choice="three quarters of the mean of six hours",
    ),
)
