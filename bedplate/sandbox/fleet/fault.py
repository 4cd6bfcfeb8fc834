"""One fault: its kind, the node it sits on, and how bad it is; and the table of kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bedplate.sandbox.fleet.errors import FaultsRefused

Scope = Literal["node", "link", "cluster", "half"]

# Where a kind of fault can be seen: on the node at rest, on the node under load, or only between nodes.
Seen = Literal["at rest", "under load", "between nodes"]


@dataclass(frozen=True)
class Field:
    """One entry of a fault's detail: the values allowed, both ends included, and the one taken if none is
    given.
    """

    low: float
    high: float
    default: float
    whole: bool = True


@dataclass(frozen=True)
class Kind:
    """One kind of fault that can be injected."""

    scope: Scope
    seen: Seen
    fields: Mapping[str, Field] = field(default_factory=dict)


_GPU = Field(0, 7, 0)
_DEVICE = Field(0, 31, 0)
_WITH_GPU = {"gpu": _GPU}

# XIDs whose lines the kernel log stand-in knows to print.
XIDS = (48, 63, 64, 74, 79, 94, 95, 119)

KINDS: dict[str, Kind] = {
    "efa-device-lost": Kind("node", "at rest", {"device": _DEVICE}),
    "efa-device-slow": Kind(
        "node", "between nodes", {"device": _DEVICE, "speed": Field(0.05, 0.95, 0.4, whole=False)}
    ),
    "efa-fallback-socket": Kind("node", "between nodes"),
    "gpu-lost": Kind("node", "at rest", _WITH_GPU),
    "gpu-other-model": Kind("node", "at rest", _WITH_GPU),
    "row-remap-failure": Kind("node", "at rest", _WITH_GPU),
    "ecc-uncorrected": Kind("node", "at rest", {**_WITH_GPU, "count": Field(1, 1000, 1)}),
    "nvlink-down": Kind("node", "at rest", {**_WITH_GPU, "links": Field(1, 18, 4)}),
    "nvlink-slow": Kind("node", "under load", {"speed": Field(0.05, 0.95, 0.7, whole=False)}),
    "dcgm-hardware": Kind("node", "under load", {**_WITH_GPU, "level": Field(2, 4, 2)}),
    "link-slow": Kind(
        "link",
        "between nodes",
        {"peer_index": Field(0, 1023, 0), "speed": Field(0.05, 0.95, 0.5, whole=False)},
    ),
    "leaf-slow": Kind(
        "cluster", "between nodes", {"leaf": Field(0, 255, 0), "speed": Field(0.05, 0.95, 0.5, whole=False)}
    ),
    "fabric-configuration": Kind("cluster", "between nodes", {"speed": Field(0.05, 0.95, 0.6, whole=False)}),
    "slow-together": Kind("cluster", "between nodes", {"speed": Field(0.05, 0.95, 0.5, whole=False)}),
    "node-unreachable": Kind("node", "at rest"),
    "collective-hang": Kind("node", "between nodes", {"lingers_s": Field(0, 3600, 1, whole=False)}),
    "efa-device-faulty": Kind(
        "node", "under load", {"device": _DEVICE, "speed": Field(0.0, 0.7, 0.0, whole=False)}
    ),
    "efa-errors": Kind("node", "under load", {"device": _DEVICE, "count": Field(1, 1000, 3)}),
    "gdrcopy-off": Kind("node", "under load"),
    "clock-wrong": Kind("node", "at rest", {"offset_ms": Field(150, 600_000, 1500)}),
    "huge-pages-missing": Kind("node", "at rest"),
    "software-incompatible": Kind("node", "under load"),
    "version-skew": Kind("cluster", "at rest"),
    "pcie-degraded": Kind("node", "at rest", {**_WITH_GPU, "lanes": Field(1, 8, 8)}),
    "gpu-throttled": Kind("node", "at rest", _WITH_GPU),
    "gpu-clocks-limited": Kind("node", "at rest", _WITH_GPU),
    "persistence-off": Kind("node", "at rest"),
    "fabric-manager-down": Kind("node", "at rest"),
    "gpu-slow": Kind("node", "under load", {**_WITH_GPU, "speed": Field(0.05, 0.7, 0.6, whole=False)}),
    "gpu-memory-slow": Kind("node", "under load", {**_WITH_GPU, "speed": Field(0.05, 0.6, 0.5, whole=False)}),
    "nvlink-errors": Kind("node", "under load", _WITH_GPU),
    "imex-down": Kind("node", "under load"),
    "nvme-disk-lost": Kind("node", "at rest", {"disk": Field(0, 7, 0)}),
    "scratch-volume": Kind("node", "at rest"),
    "nvme-slow": Kind("node", "under load", {"speed": Field(0.05, 0.7, 0.4, whole=False)}),
    "file-system-not-mounted": Kind("node", "at rest"),
    "file-system-unreachable": Kind("node", "at rest"),
    "file-system-slow": Kind("node", "under load", {"speed": Field(0.05, 0.4, 0.2, whole=False)}),
    "association-broken": Kind("cluster", "at rest"),
    "lustre-over-tcp": Kind("node", "at rest"),
    "lnet-efa-missing": Kind("node", "at rest", {"interfaces": Field(1, 7, 6)}),
    "agent-lost": Kind("node", "at rest"),
    "disk-full": Kind("node", "at rest", {"kept_bytes": Field(0, 4096, 0)}),
    "dcgm-skip": Kind("node", "under load", _WITH_GPU),
    "collective-crash": Kind("node", "between nodes"),
    "log-cut": Kind("node", "between nodes", {"rows": Field(0, 32, 20)}),
    "wrong-plugin": Kind("node", "between nodes"),
    "half-configuration": Kind("half", "between nodes", {"speed": Field(0.05, 0.95, 0.6, whole=False)}),
    **{f"xid-{code}": Kind("node", "at rest", _WITH_GPU) for code in XIDS},
}


@dataclass(frozen=True)
class Fault:
    """One fault. ``node_index`` counts compute nodes by private address from 0; None where the whole fabric
    is meant.

    ``detail`` is complete: what was not given has its default. A slow link names its other end by
    ``peer_index``.
    """

    cause: str
    node_index: int | None
    detail: Mapping[str, float]

    @property
    def kind(self) -> Kind:
        """The row of the table of kinds."""
        return KINDS[self.cause]

    @property
    def indices(self) -> tuple[int, ...]:
        """The nodes that it names: one, two for a link, none for the fabric or half of it."""
        if self.node_index is None:
            return ()
        if self.kind.scope == "link":
            return tuple(sorted((self.node_index, int(self.detail["peer_index"]))))
        return (self.node_index,)

    def to_json(self) -> dict[str, Any]:
        """As the faults file holds it."""
        return {"cause": self.cause, "node_index": self.node_index, "detail": dict(self.detail)}


def make_fault(data: Any, where: str = "fault") -> Fault:
    """A fault from one entry of a faults file. Raises ``FaultsRefused`` with ``where``, the value and what is
    allowed.
    """
    if not isinstance(data, dict):
        raise FaultsRefused(f"{where} is {data!r}; a mapping with cause, node_index and detail is allowed")
    unknown = sorted(set(data) - {"cause", "node_index", "detail"})
    if unknown:
        raise FaultsRefused(f"{where} has the unknown key {unknown[0]!r}")
    cause = data.get("cause")
    if cause not in KINDS:
        raise FaultsRefused(f"{where}.cause is {cause!r}; allowed are {', '.join(sorted(KINDS))}")
    kind = KINDS[cause]
    index = _index(data.get("node_index"), kind, where)
    detail = _detail(data.get("detail") or {}, kind, where)
    if kind.scope == "link" and index == detail["peer_index"]:
        raise FaultsRefused(f"{where}: a link needs two nodes, and both ends are {index}")
    return Fault(cause, index, detail)


def _index(value: Any, kind: Kind, where: str) -> int | None:
    if kind.scope in ("cluster", "half"):
        if value is not None:
            raise FaultsRefused(f"{where}.node_index is {value!r}; a fault of the fabric has none")
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FaultsRefused(f"{where}.node_index is {value!r}; a whole number from 0 is allowed")
    return value


def _detail(given: Any, kind: Kind, where: str) -> dict[str, float]:
    if not isinstance(given, dict):
        raise FaultsRefused(f"{where}.detail is {given!r}; a mapping is allowed")
    unknown = sorted(set(given) - set(kind.fields))
    if unknown:
        allowed = ", ".join(kind.fields) or "none"
        raise FaultsRefused(f"{where}.detail has the unknown key {unknown[0]!r}; allowed: {allowed}")
    return {name: _value(given, name, rule, where) for name, rule in kind.fields.items()}


def _value(given: Mapping[str, Any], name: str, rule: Field, where: str) -> float:
    value = given.get(name, rule.default)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or (rule.whole and value != int(value)) or not rule.low <= value <= rule.high:
        what = "a whole number" if rule.whole else "a number"
        raise FaultsRefused(
            f"{where}.detail.{name} is {value!r}; {what} from {rule.low:g} to {rule.high:g} is allowed"
        )
    return int(value) if rule.whole else float(value)
