"""The GPU tools that a node is asked to run beside ``nvidia-smi``'s table, by their exact command lines."""

from __future__ import annotations

from bedplate.hardware.gpu_rates import GPU_RATES

NVIDIA_SMI_DETAILS = ("nvidia-smi", "-q", "-x")
NVIDIA_SMI_NVLINK = ("nvidia-smi", "nvlink", "-s")
FABRIC_MANAGER = "nvidia-fabricmanager.service"
# One unit alone: of several, lines could be taken for another's.
FABRIC_MANAGER_UNIT = ("systemctl", "show", "--property=Id,LoadState,ActiveState", FABRIC_MANAGER)

GPU_TOOLS = (NVIDIA_SMI_DETAILS, NVIDIA_SMI_NVLINK, FABRIC_MANAGER_UNIT)
"""Those of the probe."""

RELATIVE_SHARE = 0.9
"""A GPU below this share of its neighbours' median is slow: the share that the search between nodes uses."""

# The peers' mean is what DCGM compares with; 0.1 below it is an error of its own there (id 110).
_TOLERANCE = 0.1
_SECONDS = 60

THROUGHPUT_TESTS = ("diagnostic", "targeted_stress", "memory_bandwidth")
DCGM_HEALTH = ("dcgmi", "health", "-g", "0", "-c", "-j")
IMEX_DOMAIN = ("nvidia-imex-ctl", "-N", "-j")
NVBANDWIDTH = ("nvbandwidth", "-j", "-t", "device_local_copy")


def throughput_argv(*, model: str) -> tuple[str, ...]:
    """DCGM's diagnostic, targeted stress and memory bandwidth against the rates of a GPU model.

    Every threshold is given: DCGM's own table holds one for the H200 that no part can fail. ``-v`` makes the
    tests tell what they measured; NVIDIA/DCGM ``nvvs/include/PluginStrings.h`` has the parameters. A model
    without rates is measured with DCGM's own.
    """
    parameters = [
        f"diagnostic.test_duration={_SECONDS}",
        f"diagnostic.gflops_tolerance_pcnt={_TOLERANCE}",
        f"targeted_stress.test_duration={_SECONDS}",
    ]
    rates = GPU_RATES.get(model)
    if rates is not None:
        parameters += [
            f"targeted_stress.target_stress={rates.floor_gflops:g}",
            f"memory_bandwidth.minimum_bandwidth={rates.floor_gb_per_s * 1000:.0f}",
        ]
    return ("dcgmi", "diag", "-r", ",".join(THROUGHPUT_TESTS), "-j", "-v", "-p", ";".join(parameters))


def nvlink_errors_argv(*, gpu: int) -> tuple[str, ...]:
    """DCGM's NVLink error counters of one GPU."""
    return ("dcgmi", "nvlink", "-e", "-g", str(gpu), "-j")
