"""What dcgm-exporter tells of a simulated node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bedplate.hardware import xid
from bedplate.sandbox.fleet.devices import gpu_bus, gpu_identity_of, gpu_uuid
from bedplate.sandbox.telemetry.gpu_load import (
    NVLINK_BYTES_PER_S,
    PCIE_BYTES_PER_S,
    THROTTLED,
    Part,
    clock_share,
    nvlink_recoveries,
    nvlink_share,
    part_of,
)
from bedplate.sandbox.telemetry.kernel_events import KernelEvent, kernel_events
from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.timeline import Stretch
from bedplate.telemetry.exposition import Sample, sample
from bedplate.telemetry.metrics.dcgm import DCGM_METRICS

WINDOW_S = 300.0
"""dcgm-exporter forgets an Xid and a clock event after five minutes."""
_NS = 1e9
_SLOWDOWN_CELSIUS = 87.0
_RECOVERY = {"RESET_GPU": 1.0, "WORKFLOW_XID_48": 1.0, "RESTART_BM": 2.0, "RESTART_VM": 2.0}
Values = Mapping[str, float]


def dcgm_samples(view: View, *, window_s: float = WINDOW_S) -> Iterator[Sample]:
    """All series. A GPU that is lost has none, and of one nothing says that it is missed."""
    events = kernel_events(view)
    for gpu in view.truth.gpus:
        labels = gpu_labels(view, gpu)
        values = _values(view, gpu)
        asked = view.situation.recovery_action if gpu == 0 else 0
        values["DEV_GET_GPU_RECOVERY_ACTION"] = max(_recovery(events, gpu), asked)
        for known in DCGM_METRICS:
            if not known.gpu_architectures or view.node.architecture in known.gpu_architectures:
                yield sample(known.name, values[known.name.removeprefix("DCGM_FI_")], **labels)
        window = str(int(window_s * 1000))
        for code, count in _xids(events, gpu, since_s=view.at_s - window_s).items():
            yield sample("DCGM_EXP_XID_ERRORS_COUNT", count, **labels, xid=code, window_size_in_ms=window)
        for number in range(view.situation.many_series if gpu == 0 else 0):
            code = str(10_000 + number)
            yield sample("DCGM_EXP_XID_ERRORS_COUNT", 0, **labels, xid=code, window_size_in_ms=window)
        for event in _clock_events(view, gpu):
            yield sample(
                "DCGM_EXP_CLOCK_EVENTS_COUNT", 30, **labels, clock_event=event, window_size_in_ms=window
            )


def gpu_labels(view: View, gpu: int) -> dict[str, str]:
    """As dcgm-exporter names a GPU: the index is that of what the driver sees now."""
    return {
        "gpu": str(view.truth.gpus.index(gpu)),
        "UUID": gpu_uuid(view.truth, gpu),
        "pci_bus_id": pci_bus_id(gpu),
        "hpc_job": view.hpc_job,
    }


def pci_bus_id(gpu: int) -> str:
    """As DCGM writes it, e.g. ``00000000:53:00.0``."""
    return f"00000000:{gpu_bus(gpu):02X}:00.0"


def _values(view: View, gpu: int) -> dict[str, float]:
    part = part_of(view)
    return {
        **_of_load(view, gpu, part),
        **_of_memory(view, gpu),
        **_of_links(view, gpu, part),
        **_of_profiling(view, gpu),
    }


def _of_load(view: View, gpu: int, part: Part) -> dict[str, float]:
    stretch, working = view.stretch, view.is_working
    share = clock_share(stretch, gpu)
    # A collective that hangs spins: the GPU looks busy, and draws little.
    busy = view.job is not None
    hot = gpu in stretch.effects.throttled_gpus
    limit = part.watts / 2 if gpu in stretch.effects.power_limited else part.watts
    watts = 0.86 * limit * share if working else 0.3 * part.watts if busy else 0.11 * part.watts
    celsius = 62.0 if working else 45.0 if busy else 32.0
    if hot or stretch.situation.near_slowdown:
        celsius = _SLOWDOWN_CELSIUS - 0.5
    slowed = _slowed(lambda each: gpu in each.effects.throttled_gpus)
    limited = _slowed(lambda each: gpu in each.effects.power_limited)
    return {
        "DEV_SM_CLOCK": round(part.sm_mhz * share if busy else 345.0),
        "DEV_MEM_CLOCK": part.memory_mhz,
        "DEV_MEMORY_TEMP": round(celsius + 6 + view.jitter("memory", gpu)),
        "DEV_GPU_TEMP": round(celsius + (0 if hot else view.jitter("temp", gpu)), 1),
        "DEV_SLOWDOWN_TEMP": _SLOWDOWN_CELSIUS,
        "DEV_POWER_USAGE": round(watts * (1 + 0.02 * view.jitter("power", gpu)), 3),
        "DEV_POWER_MGMT_LIMIT": limit,
        "DEV_TOTAL_ENERGY_CONSUMPTION": int(
            view.total(lambda each: 1e3 * part.watts * (0.86 if view.works(each) else 0.11))
        ),
        "DEV_GPU_UTIL": 98.0 if working else 100.0 if busy else 0.0,
        "DEV_POWER_VIOLATION": int(view.total(lambda each: _NS * (0.02 * view.works(each) + limited(each)))),
        "DEV_THERMAL_VIOLATION": int(view.total(lambda each: _NS * slowed(each))),
        "DEV_RELIABILITY_VIOLATION": int(view.total(lambda each: _other_throttle(each, gpu, "reliability"))),
        "DEV_BOARD_LIMIT_VIOLATION": int(view.total(lambda each: _other_throttle(each, gpu, "board"))),
    }


def _slowed(holds: Callable[[Stretch], bool]) -> Callable[[Stretch], float]:
    return lambda each: THROTTLED if holds(each) else 0.0


def _other_throttle(stretch: Stretch, gpu: int, reason: str) -> float:
    return _NS * THROTTLED if gpu == 0 and stretch.situation.throttled_for == reason else 0.0


def _of_memory(view: View, gpu: int) -> dict[str, float]:
    effects = view.stretch.effects
    total = float(gpu_identity_of(view.truth, gpu)[1])
    used = 0.88 * total if view.job is not None else 4.0
    uncorrected = sum(count for index, count in effects.uncorrected_ecc if index == gpu)
    corrected = int(view.total(lambda each: each.situation.corrected_errors * (gpu == 0)))
    failed, pending = gpu in effects.remap_failures, gpu in effects.remap_pending
    return {
        "DEV_FB_FREE": round(total - used),
        "DEV_FB_USED": round(used),
        "DEV_ECC_SBE_VOL_TOTAL": corrected,
        "DEV_ECC_DBE_VOL_TOTAL": uncorrected,
        "DEV_ECC_SBE_AGG_TOTAL": corrected,
        "DEV_ECC_DBE_AGG_TOTAL": uncorrected,
        "DEV_UNCORRECTABLE_REMAPPED_ROWS": int(failed or pending),
        "DEV_CORRECTABLE_REMAPPED_ROWS": int(corrected > 0),
        "DEV_ROW_REMAP_FAILURE": int(failed),
        "DEV_ROW_REMAP_PENDING": int(pending),
    }


def _of_links(view: View, gpu: int, part: Part) -> dict[str, float]:
    effects, links = view.stretch.effects, view.truth.hardware.nvlinks

    def traffic(each: Stretch) -> float:
        return view.works(each) * NVLINK_BYTES_PER_S / 1e6 * nvlink_share(each, gpu, links=links)

    recoveries = view.total(lambda each: nvlink_recoveries(each, gpu))
    crc = view.total(lambda each: each.situation.nvlink_crc * (gpu == 0))
    errors = 40 * view.total(lambda each: float(gpu in each.effects.repairing_gpus)) + crc
    lanes = dict(effects.pcie_lanes).get(gpu, 16)
    replays = view.total(lambda each: each.situation.pcie_replays * (gpu == 0))
    ill = effects.fabric_manager_down or any(index == gpu for index, _ in effects.nvlinks_down)
    return {
        "DEV_PCIE_REPLAY_COUNTER": int(replays),
        "DEV_PCIE_LINK_GEN": 1 if view.situation.slow_pcie else part.pcie_generation,
        "DEV_PCIE_LINK_WIDTH": lanes,
        "DEV_PCIE_MAX_LINK_GEN": part.pcie_generation,
        "DEV_PCIE_MAX_LINK_WIDTH": 16,
        "DEV_NVLINK_BANDWIDTH_TOTAL": int(view.total(traffic)),
        "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": int(errors),
        "DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": int(errors / 10),
        "DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL": int(recoveries),
        "DEV_NVLINK_COUNT_RX_ERRORS": int(errors),
        "DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS": int(recoveries),
        "DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS": int(
            sum(count for index, count in effects.nvlinks_down if index == gpu)
        ),
        "DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS": int(errors),
        "DEV_FABRIC_HEALTH_SUMMARY": 2 if ill else 3 if view.situation.fabric_limited else 1,
    }


def _of_profiling(view: View, gpu: int) -> dict[str, float]:
    working = view.is_working
    share = clock_share(view.stretch, gpu)

    def ratio(value: float, name: str) -> float:
        return round(value * share * (1 + 0.03 * view.jitter(name, gpu)), 6) if working else 0.0

    links = view.truth.hardware.nvlinks
    nvlink = NVLINK_BYTES_PER_S * nvlink_share(view.stretch, gpu, links=links) if working else 0.0
    pcie = PCIE_BYTES_PER_S if working else 0.0
    return {
        "PROF_GR_ENGINE_ACTIVE": ratio(0.97, "engine") if working else float(view.job is not None),
        "PROF_SM_ACTIVE": ratio(0.84, "sm"),
        "PROF_SM_OCCUPANCY": ratio(0.31, "occupancy"),
        "PROF_PIPE_TENSOR_ACTIVE": ratio(0.46, "tensor"),
        "PROF_DRAM_ACTIVE": ratio(0.38, "dram"),
        "PROF_PCIE_TX_BYTES": pcie,
        "PROF_PCIE_RX_BYTES": pcie,
        "PROF_NVLINK_TX_BYTES": nvlink,
        "PROF_NVLINK_RX_BYTES": nvlink,
    }


def _recovery(events: tuple[KernelEvent, ...], gpu: int) -> float:
    """The strongest that NVIDIA's catalogue asks for, of what befell the GPU."""
    found = [xid(each.code) for each in events if each.gpu == gpu]
    return max((_RECOVERY.get(each.nvidia_action, 0.0) for each in found if each), default=0.0)


def _xids(events: tuple[KernelEvent, ...], gpu: int, *, since_s: float) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in events:
        if each.gpu == gpu and each.at_s > since_s:
            counts[str(each.code)] = counts.get(str(each.code), 0) + 1
    return counts


def _clock_events(view: View, gpu: int) -> tuple[str, ...]:
    effects, found = view.stretch.effects, []
    if gpu in effects.throttled_gpus:
        found += ["hw_slowdown", "hw_thermal"]
    if gpu in effects.power_limited or view.is_working:
        found.append("power_cap")
    if view.situation.power_brake and gpu == 0:
        found += ["hw_slowdown", "hw_power_brake"]
    if view.job is None:
        found.append("gpu_idle")
    return tuple(dict.fromkeys(found))
