"""What one test of ``dcgmi diag`` finds on one GPU; ids, severities and words are those of DCGM's sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.hardware.gpu_rates import GPU_RATES, GpuRates
from bedplate.sandbox.fleet.performance import noise
from bedplate.sandbox.fleet.truth import NodeTruth

_ISOLATE, _TRIAGE, _CONFIG = 2, 4, 5
# Level at which a part of the hardware fails → the test that shows it.
_FAILING = {2: "memory", 3: "targeted_power", 4: "memtest"}
# DCGM's own figure for an H100, of mixed precisions, as somebody published it (NVIDIA/DCGM issue 215).
_MIXED_GIGAFLOPS = 859.08


@dataclass(frozen=True)
class Outcome:
    """A pass, a skip, or the error; ``{gpu}`` in the texts is DCGM's own number of the GPU."""

    skipped: bool = False
    info: tuple[str, ...] = ()
    error_id: int | None = None
    severity: int = 0
    category: int = 0
    text: str = ""


def run_test(node: NodeTruth, name: str, gpu: int, parameters: Mapping[str, float]) -> Outcome:
    """The outcome of one test on one GPU."""
    effects = node.effects
    if gpu in effects.dcgm_skips and name != "software":
        # A part that DCGM does not know makes it skip each test (NVIDIA/DCGM issues 55 and 139).
        return Outcome(skipped=True)
    if any(index == gpu and _FAILING[level] == name for index, level in effects.dcgm_failures):
        return Outcome(error_id=57, severity=_ISOLATE, category=2, text=_FAULTY.format(test=name))
    if name == "software" and effects.persistence_off:
        text = "Persistence mode for GPU {gpu} is disabled. Enable it with nvidia-smi -pm 1."
        return Outcome(error_id=29, severity=_CONFIG, category=7, text=text)
    if name == "software" and effects.fabric_manager_down:
        text = "The Fabric Manager has not finished training GPU {gpu}."
        return Outcome(error_id=112, severity=_CONFIG, category=7, text=text)
    rates = next((rates for model, rates in GPU_RATES.items() if model == node.hardware.gpu_model), None)
    if rates is None:
        return Outcome()
    steady = noise(f"{node.seed}/{node.instance_id}/{gpu}/{name}")
    if name == "targeted_stress":
        return _stress(node, gpu, rates, parameters, steady)
    if name == "diagnostic":
        return _diagnostic(node, gpu, parameters, steady)
    if name == "memory_bandwidth":
        return _memory(node, gpu, rates, parameters)
    return Outcome()


_FAULTY = (
    "CUDA detected a double-bit error while {test} ran on GPU {{gpu}}. Drain the GPU and reset it or reboot "
    "the node."
)


def gpu_speed(node: NodeTruth, gpu: int) -> float:
    """The factor of a GPU's healthy rate of computing."""
    return min((speed for index, speed in node.effects.slow_gpus if index == gpu), default=1.0)


def memory_speed(node: NodeTruth, gpu: int) -> float:
    """The factor of the healthy rate of a GPU's memory."""
    return min((speed for index, speed in node.effects.slow_gpu_memory if index == gpu), default=1.0)


def _stress(
    node: NodeTruth, gpu: int, rates: GpuRates, parameters: Mapping[str, float], steady: float
) -> Outcome:
    """The load is held at the target: a healthy part shows about that, and never its best."""
    target = parameters.get("targeted_stress.target_stress", rates.floor_gflops)
    reached = min(target, rates.measured_gflops * gpu_speed(node, gpu)) / steady
    if reached < 0.95 * target:
        text = f"Max stress level of {reached:.1f} did not reach desired stress level of {target:.1f} for "
        text += "GPU {gpu}"
        return Outcome(error_id=50, severity=_TRIAGE, category=1, text=text)
    return Outcome(info=(f"GPU {{gpu}} relative stress level\t{reached:.0f}",))


def _diagnostic(node: NodeTruth, gpu: int, parameters: Mapping[str, float], steady: float) -> Outcome:
    rates = {each: _MIXED_GIGAFLOPS * gpu_speed(node, each) for each in node.gpus}
    tolerance = parameters.get("diagnostic.gflops_tolerance_pcnt", 0.0)
    limit = (1 - tolerance) * sum(rates.values()) / len(rates)
    if tolerance and rates[gpu] < limit:
        text = f"Detected {rates[gpu]:.2f} GFLOPs for GPU {{gpu}} which is below the threshold {limit:.2f}"
        return Outcome(error_id=110, severity=_TRIAGE, category=1, text=text)
    return Outcome(
        info=(
            "Running with precisions: FP64 1, FP32 1, FP16 1",
            f"GPU {{gpu}} calculated at approximately {rates[gpu] / steady:.2f} gigaflops during this test",
        )
    )


def _memory(node: NodeTruth, gpu: int, rates: GpuRates, parameters: Mapping[str, float]) -> Outcome:
    """The parameter is in MB/s, the message in GB/s; of a pass nothing is told."""
    target = parameters.get("memory_bandwidth.minimum_bandwidth", rates.floor_gb_per_s * 1000) / 1000
    reached = rates.measured_gb_per_s * memory_speed(node, gpu)
    if reached >= target:
        return Outcome()
    text = (
        f"GPU {{gpu}} only achieved a memory bandwidth of {reached:.2f} GB/s, failing to meet {target:.2f} "
        f"GB/s "
        "for test 0"
    )
    return Outcome(error_id=62, severity=_TRIAGE, category=1, text=text)
