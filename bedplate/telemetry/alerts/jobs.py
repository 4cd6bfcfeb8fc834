"""Jobs that stand still, and GPUs that hold the others of their job up."""

from __future__ import annotations

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.by import GPU, JOB, ON_GPU

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
)
