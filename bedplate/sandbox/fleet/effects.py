"""What a node's faults do to it, in terms of what its tools can see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

HEALTHY_SPEED = 1.0


@dataclass(frozen=True)
class Effects:
    """The state of one node; every field's default is healthy. GPUs and EFA devices are named by index from 0.

    Speeds are factors of the healthy rate. ``slow_links`` maps a peer's instance id to the factor of the link to it.
    """

    xids: tuple[tuple[int, int], ...] = ()
    lost_gpus: tuple[int, ...] = ()
    uncorrected_ecc: tuple[tuple[int, int], ...] = ()
    remap_failures: tuple[int, ...] = ()
    remap_pending: tuple[int, ...] = ()
    nvlinks_down: tuple[tuple[int, int], ...] = ()
    nvlink_speed: float = HEALTHY_SPEED
    dcgm_failures: tuple[int, ...] = ()
    lost_efas: tuple[int, ...] = ()
    slow_efas: tuple[tuple[int, float], ...] = ()
    socket: bool = False
    slow_links: tuple[tuple[str, float], ...] = ()
    fabric_speed: float = HEALTHY_SPEED
    unreachable: bool = False
    hangs: bool = False

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

    ``detail`` is complete (``bedplate.sandbox.fleet.fault``); for a slow link it also holds ``peer``, the instance id.
    """
    effects = Effects()
    for cause, detail in faults:
        effects = _apply(effects, cause, detail)
    return effects


def _apply(effects: Effects, cause: str, detail: Mapping[str, Any]) -> Effects:
    if cause.startswith("xid-"):
        return _with_xid(effects, int(cause[4:]), int(detail["gpu"]))
    change: dict[str, Any] = {
        "efa-device-lost": lambda: {"lost_efas": _plus(effects.lost_efas, detail["device"])},
        "efa-device-slow": lambda: {
            "slow_efas": (*effects.slow_efas, (int(detail["device"]), float(detail["speed"])))
        },
        "efa-fallback-socket": lambda: {"socket": True},
        "gpu-lost": lambda: {"lost_gpus": _plus(effects.lost_gpus, detail["gpu"])},
        "row-remap-failure": lambda: {"remap_failures": _plus(effects.remap_failures, detail["gpu"])},
        "ecc-uncorrected": lambda: {
            "uncorrected_ecc": (*effects.uncorrected_ecc, (int(detail["gpu"]), int(detail["count"])))
        },
        "nvlink-down": lambda: {
            "nvlinks_down": (*effects.nvlinks_down, (int(detail["gpu"]), int(detail["links"])))
        },
        "nvlink-slow": lambda: {"nvlink_speed": effects.nvlink_speed * float(detail["speed"])},
        "dcgm-hardware": lambda: {"dcgm_failures": _plus(effects.dcgm_failures, detail["gpu"])},
        "link-slow": lambda: {
            "slow_links": (*effects.slow_links, (str(detail["peer"]), float(detail["speed"])))
        },
        "fabric-configuration": lambda: {"fabric_speed": effects.fabric_speed * float(detail["speed"])},
        "node-unreachable": lambda: {"unreachable": True},
        "collective-hang": lambda: {"hangs": True},
    }[cause]()
    return replace(effects, **change)


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


def _plus(indices: tuple[int, ...], index: Any) -> tuple[int, ...]:
    return tuple(sorted({*indices, int(index)}))
