"""What a node's faults do to it, in terms of what its tools can see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

HEALTHY_SPEED = 1.0
_EVERY_EFA = 1000


@dataclass(frozen=True)
class Effects:
    """The state of one node; every field's default is healthy. GPUs and EFA devices are named by index from
    0.

    Speeds are factors of the healthy rate. ``slow_links`` maps a peer's instance id to the factor of the link
    to it. ``disk_full_after_bytes`` and ``cut_after_rows`` are -1 where nothing is cut.
    """

    xids: tuple[tuple[int, int], ...] = ()
    lost_gpus: tuple[int, ...] = ()
    other_gpus: tuple[int, ...] = ()
    uncorrected_ecc: tuple[tuple[int, int], ...] = ()
    remap_failures: tuple[int, ...] = ()
    remap_pending: tuple[int, ...] = ()
    nvlinks_down: tuple[tuple[int, int], ...] = ()
    nvlink_speed: float = HEALTHY_SPEED
    dcgm_failures: tuple[tuple[int, int], ...] = ()
    lost_efas: tuple[int, ...] = ()
    slow_efas: tuple[tuple[int, float], ...] = ()
    socket: bool = False
    slow_links: tuple[tuple[str, float], ...] = ()
    fabric_speed: float = HEALTHY_SPEED
    together_speed: float = HEALTHY_SPEED
    unreachable: bool = False
    hangs: bool = False
    hang_lingers_s: float = 1.0
    faulty_efas: tuple[tuple[int, float], ...] = ()
    efa_errors: tuple[tuple[int, int], ...] = ()
    gdrcopy_off: bool = False
    clock_offset_ms: float = 0.0
    no_huge_pages: bool = False
    old_plugin: bool = False
    mixed_images: bool = False
    pcie_lanes: tuple[tuple[int, int], ...] = ()
    throttled_gpus: tuple[int, ...] = ()
    power_limited: tuple[int, ...] = ()
    persistence_off: bool = False
    fabric_manager_down: bool = False
    slow_gpus: tuple[tuple[int, float], ...] = ()
    slow_gpu_memory: tuple[tuple[int, float], ...] = ()
    imex_down: bool = False
    repairing_gpus: tuple[int, ...] = ()
    lost_disks: tuple[int, ...] = ()
    scratch_gone: bool = False
    nvme_speed: float = HEALTHY_SPEED
    mounts_gone: bool = False
    file_system_silent: bool = False
    file_system_speed: float = HEALTHY_SPEED
    lnet_efas_lost: int = 0
    associations_broken: bool = False
    agent_lost: bool = False
    disk_full_after_bytes: int = -1
    dcgm_skips: tuple[int, ...] = ()
    crashes: bool = False
    cut_after_rows: int = -1
    wrong_plugin: bool = False

    def to_json(self) -> dict[str, Any]:
        """As ``truth.json`` holds it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Effects:
        """The inverse of ``to_json``; lists become tuples again."""
        return cls(**{name: _tuples(value) for name, value in data.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def effects_of(faults: Sequence[tuple[str, Mapping[str, Any]]]) -> Effects:
    """The state that these faults (cause, detail) put one node in.

    ``detail`` is complete (``bedplate.sandbox.fleet.fault``); for a slow link it also holds ``peer``, the
    instance id.
    """
    effects = Effects()
    for cause, detail in faults:
        effects = _apply(effects, cause, detail)
    return effects


def _apply(effects: Effects, cause: str, detail: Mapping[str, Any]) -> Effects:
    if cause.startswith("xid-"):
        return _with_xid(effects, int(cause[4:]), int(detail["gpu"]))
    return replace(effects, **_change(effects, cause, detail))


def _change(effects: Effects, cause: str, detail: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that one fault changes, with their new values."""
    gpu, device = int(detail.get("gpu", -1)), int(detail.get("device", -1))
    speed = float(detail.get("speed", HEALTHY_SPEED))
    changes: dict[str, dict[str, Any]] = {
        "efa-device-lost": {"lost_efas": _plus(effects.lost_efas, device)},
        "efa-device-slow": {"slow_efas": (*effects.slow_efas, (device, speed))},
        "efa-fallback-socket": {"socket": True},
        "gpu-lost": {"lost_gpus": _plus(effects.lost_gpus, gpu)},
        "gpu-other-model": {"other_gpus": _plus(effects.other_gpus, gpu)},
        "row-remap-failure": {"remap_failures": _plus(effects.remap_failures, gpu)},
        "ecc-uncorrected": {"uncorrected_ecc": (*effects.uncorrected_ecc, (gpu, detail.get("count", 1)))},
        "nvlink-down": {"nvlinks_down": (*effects.nvlinks_down, (gpu, detail.get("links", 1)))},
        "nvlink-slow": {"nvlink_speed": effects.nvlink_speed * speed},
        "dcgm-hardware": {"dcgm_failures": (*effects.dcgm_failures, (gpu, int(detail.get("level", 2))))},
        "link-slow": {"slow_links": (*effects.slow_links, (detail.get("peer", ""), speed))},
        "leaf-slow": {
            "slow_links": (*effects.slow_links, *((peer, speed) for peer in detail.get("beyond", ())))
        },
        "fabric-configuration": {"fabric_speed": effects.fabric_speed * speed},
        "node-unreachable": {"unreachable": True},
        "collective-hang": {"hangs": True, "hang_lingers_s": float(detail.get("lingers_s", 1.0))},
        "efa-device-faulty": {"faulty_efas": (*effects.faulty_efas, (device, speed))},
        "efa-errors": {"efa_errors": (*effects.efa_errors, (device, int(detail.get("count", 1))))},
        "gdrcopy-off": {"gdrcopy_off": True},
        "clock-wrong": {"clock_offset_ms": float(detail.get("offset_ms", 0.0))},
        "huge-pages-missing": {"no_huge_pages": True},
        "software-incompatible": {"old_plugin": True},
        "version-skew": {"mixed_images": True},
        "pcie-degraded": {"pcie_lanes": (*effects.pcie_lanes, (gpu, int(detail.get("lanes", 8))))},
        "gpu-throttled": {"throttled_gpus": _plus(effects.throttled_gpus, gpu)},
        "gpu-clocks-limited": {"power_limited": _plus(effects.power_limited, gpu)},
        "persistence-off": {"persistence_off": True},
        "fabric-manager-down": {"fabric_manager_down": True},
        "gpu-slow": {"slow_gpus": (*effects.slow_gpus, (gpu, speed))},
        "gpu-memory-slow": {"slow_gpu_memory": (*effects.slow_gpu_memory, (gpu, speed))},
        "imex-down": {"imex_down": True},
        "nvlink-errors": {"repairing_gpus": _plus(effects.repairing_gpus, gpu)},
        "nvme-disk-lost": {"lost_disks": _plus(effects.lost_disks, int(detail.get("disk", -1)))},
        "scratch-volume": {"scratch_gone": True},
        "nvme-slow": {"nvme_speed": effects.nvme_speed * speed},
        "file-system-not-mounted": {"mounts_gone": True},
        "file-system-unreachable": {"file_system_silent": True},
        "file-system-slow": {"file_system_speed": effects.file_system_speed * speed},
        "association-broken": {"associations_broken": True},
        "lustre-over-tcp": {"lnet_efas_lost": _EVERY_EFA},
        "agent-lost": {"agent_lost": True},
        "disk-full": {"disk_full_after_bytes": int(detail.get("kept_bytes", 0))},
        "dcgm-skip": {"dcgm_skips": _plus(effects.dcgm_skips, gpu)},
        "collective-crash": {"crashes": True},
        "log-cut": {"cut_after_rows": int(detail.get("rows", 0))},
        "wrong-plugin": {"wrong_plugin": True},
        "slow-together": {"together_speed": effects.together_speed * speed},
        "half-configuration": {"fabric_speed": effects.fabric_speed * speed},
        "lnet-efa-missing": {"lnet_efas_lost": int(detail.get("interfaces", 1))},
    }
    return changes[cause]


def _with_xid(effects: Effects, code: int, gpu: int) -> Effects:
    """The kernel log's line, and what the event leaves behind (NVIDIA's Xid catalogue)."""
    effects = replace(effects, xids=(*effects.xids, (code, gpu)))
    if code == 79:  # fell off the bus
        return replace(effects, lost_gpus=_plus(effects.lost_gpus, gpu))
    if code in (48, 95):  # double-bit and uncontained ECC errors are counted
        return replace(effects, uncorrected_ecc=(*effects.uncorrected_ecc, (gpu, 1)))
    if code == 63:  # a row is marked and is remapped at the next reset
        return replace(effects, remap_pending=_plus(effects.remap_pending, gpu))
    return effects


def _plus(indices: tuple[int, ...], index: int) -> tuple[int, ...]:
    return tuple(sorted({*indices, index}))
