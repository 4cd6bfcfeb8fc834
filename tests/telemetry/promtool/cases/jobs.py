"""Jobs."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import GPU, JOB, Series, both, gpu, node

_MEMORY = gpu("DCGM_FI_DEV_FB_USED", 120_000, 120_000)
_CLUSTER = {"hpc_job": "77"}
_NCCL = {
    "collective": "AllReduce",
    "message_size": "1-2GB",
    "nranks": "16",
    "n_nodes": "2",
    "hostname": "train-1",
    "slurm_job_id": "77",
}


def _clocks(slow: int, others: int, util: int = 98) -> tuple[Series, ...]:
    return (
        gpu("DCGM_FI_DEV_SM_CLOCK", 1980, slow),
        *(
            gpu("DCGM_FI_DEV_SM_CLOCK", 1980, others, gpu=str(each), pci_bus_id=f"0000000{each}:00:00.0")
            for each in (0, 1, 2)
        ),
        gpu("DCGM_FI_DEV_GPU_UTIL", 98, util),
    )


CASES = (
    Case(
        alert="JobStalled",
        faulty=(gpu("DCGM_FI_PROF_SM_ACTIVE", 0.8, 0.01), _MEMORY),
        after_minutes=15,
        summary="Job 77 holds GPUs with data in their memory and does nothing with them.",
        labels=_CLUSTER,
        blip=14,
        silent={
            "its data are loaded still": (
                gpu("DCGM_FI_PROF_SM_ACTIVE", 0.8, 0.01),
                gpu("DCGM_FI_DEV_FB_USED", 500, 500),
            ),
            "no job has the GPU": (
                node("DCGM_FI_PROF_SM_ACTIVE", 0.8, 0, **GPU),
                both("DCGM_FI_DEV_FB_USED", 120_000, **GPU),
            ),
        },
    ),
    Case(
        alert="JobSpins",
        faulty=(gpu("DCGM_FI_DEV_GPU_UTIL", 98, 100), gpu("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.4, 0)),
        after_minutes=15,
        summary="Job 77 keeps its GPUs busy without a single matrix product.",
        labels=_CLUSTER,
        blip=14,
        silent={
            "one GPU multiplies": (
                gpu("DCGM_FI_DEV_GPU_UTIL", 98, 100),
                gpu("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.4, 0),
                gpu("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.4, 0.1, gpu="1"),
            )
        },
    ),
    Case(
        alert="TrainingStopped",
        faulty=(node("bedplate_training_steps_total", "0+24", "696+0", **JOB),),
        after_minutes=39,
        summary="Job 77 has made no training step for half an hour.",
        labels=_CLUSTER,
        silent={
            "one step in ten minutes": (node("bedplate_training_steps_total", "0+24", "696+0.1", **JOB),)
        },
    ),
    Case(
        alert="GpuStraggler",
        faulty=_clocks(1200, 1980),
        after_minutes=10,
        summary="train-1 (i-0a1), GPU 3 at 00000000:53:00.0 runs at 1200 MHz, "
        "slower than the others of job 77.",
        labels={"gpu": "3", "pci_bus_id": GPU["pci_bus_id"], "hpc_job": "77"},
        blip=9,
        silent={"all are slow": _clocks(1200, 1200), "it rests": _clocks(345, 1980, util=0)},
    ),
    Case(
        alert="TrainingSlower",
        faulty=(node("bedplate_training_step_seconds", 2, 5, **JOB),),
        after_minutes=15,
        summary="Steps of job 77 take 5.0 s, half as long again as before.",
        labels=_CLUSTER,
        silent={"a checkpoint": (node("bedplate_training_step_seconds", 2, 2.6, **JOB),)},
    ),
    Case(
        alert="NcclSlower",
        faulty=(node("nccl_bus_bandwidth_gbs", 470, 100, **_NCCL),),
        after_minutes=17,
        summary="AllReduce of job 77 reaches 100 GB/s, three quarters of what it did or less.",
        labels={
            "slurm_job_id": "77",
            "collective": "AllReduce",
            "message_size": "1-2GB",
            "n_nodes": "2",
        },
        silent={"a little slower": (node("nccl_bus_bandwidth_gbs", 470, 400, **_NCCL),)},
    ),
)
