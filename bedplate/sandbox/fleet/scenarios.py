"""Which faults a seed draws, and the rules that keep every drawn scenario decidable.

1. A node whose fault shows at rest or under load is left out of the tests between nodes. So a fault that
   shows only between nodes never shares a node with another; combined faults are two that both show at rest.
2. Of the nodes that remain, at most a quarter carry a fault that shows only between nodes: with more, two
   rounds of pairs cannot tell the faulty from the healthy (``bedplate.validation.fabric.plan``).
3. A slow link or a slow fabric is the only fault between nodes: beside another, "the node" and "the link"
   explain the same measurements.
4. One check names one cause: of two XIDs in one kernel log only the graver is named, so a node carries one.
   So it is with the faults of one file system, or of one array.
5. Of faults that hide others (a node that does not answer; a lost GPU, after which no collective of 8 GPUs
   runs) a node has that one alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from bedplate.sandbox.fleet.errors import FaultsRefused
from bedplate.sandbox.fleet.fault import Fault, make_fault

# Kinds that show at rest and leave each other visible on one node.
COMBINABLE = (
    "efa-device-lost",
    "xid-48",
    "xid-64",
    "xid-74",
    "xid-95",
    "xid-119",
    "row-remap-failure",
    "ecc-uncorrected",
    "nvlink-down",
    "pcie-degraded",
    "gpu-throttled",
    "persistence-off",
    "clock-wrong",
    "huge-pages-missing",
    "nvme-disk-lost",
    "scratch-volume",
    "file-system-not-mounted",
    "file-system-unreachable",
    "lustre-over-tcp",
    "lnet-efa-missing",
)
ALONE = (
    "xid-79",
    "gpu-lost",
    "dcgm-hardware",
    "gpu-clocks-limited",
    "fabric-manager-down",
    "gpu-slow",
    "gpu-memory-slow",
    "nvlink-errors",
    "nvlink-slow",
    "nvme-slow",
    "file-system-slow",
    "efa-device-faulty",
    "efa-errors",
    "gdrcopy-off",
    "software-incompatible",
)
# Events that NVIDIA says to ignore or to answer by restarting the application: whoever blames a node for one
# is wrong.
HARMLESS = ("xid-63", "xid-94")
# Nobody's in particular: no node and no link is to be blamed for it.
CLUSTER = ("fabric-configuration", "version-skew", "association-broken")
BETWEEN = ("efa-device-slow", "efa-fallback-socket", "collective-hang")


_OF_ONE_CHECK = (
    frozenset(("nvme-disk-lost", "scratch-volume")),
    frozenset(("file-system-not-mounted", "file-system-unreachable", "lustre-over-tcp", "lnet-efa-missing")),
)

# Every type with EFA and NVLink has at least 4 GPUs and 4 EFA devices.
_ANY = (0, 1, 2, 3)
# Cause → what is drawn of its detail, and from which values; the rest is the table's default.
_DRAWN: Mapping[str, Mapping[str, Sequence[float]]] = {
    "xid-": {"gpu": _ANY},
    "gpu-lost": {"gpu": _ANY},
    "row-remap-failure": {"gpu": _ANY},
    "dcgm-hardware": {"gpu": _ANY},
    "ecc-uncorrected": {"gpu": _ANY, "count": (1, 2, 3, 4)},
    "nvlink-down": {"gpu": _ANY, "links": (4, 6)},
    "nvlink-slow": {"speed": (0.5, 0.6, 0.7)},
    "pcie-degraded": {"gpu": _ANY, "lanes": (4, 8)},
    "gpu-throttled": {"gpu": _ANY},
    "nvlink-errors": {"gpu": _ANY},
    "gpu-clocks-limited": {"gpu": _ANY},
    "gpu-slow": {"gpu": _ANY, "speed": (0.4, 0.6)},
    "gpu-memory-slow": {"gpu": _ANY, "speed": (0.4, 0.6)},
    "efa-device-lost": {"device": _ANY},
    "efa-device-slow": {"device": _ANY, "speed": (0.3, 0.4, 0.5)},
    "efa-device-faulty": {"device": _ANY},
    "efa-errors": {"device": _ANY},
    "nvme-disk-lost": {"disk": tuple(range(8))},
    "nvme-slow": {"speed": (0.3, 0.5, 0.6)},
    "file-system-slow": {"speed": (0.1, 0.2, 0.3)},
    "lnet-efa-missing": {"interfaces": (4, 6)},
}


class _Draw:
    """One scenario in the making: hands out nodes that are still free, and fills in details."""

    def __init__(self, seed: int | str, nodes: int) -> None:
        self._random = random.Random(f"bedplate-fleet-{seed}-{nodes}")  # noqa: S311 - reproducible, no secret
        self._free = list(range(nodes))
        self._random.shuffle(self._free)
        self.nodes = nodes
        self.turn = seed // len(SCENARIOS) if isinstance(seed, int) else 0
        self.faults: list[Fault] = []

    def node(self) -> int:
        """A node that carries nothing yet."""
        return self._free.pop()

    def choose(self, kinds: tuple[str, ...]) -> str:
        """One of the kinds."""
        return self._random.choice(kinds)

    def add(self, cause: str, node_index: int | None = None, **detail: float) -> None:
        """Add a fault; what the detail leaves out is drawn."""
        drawn = {**self._drawn(cause), **detail}
        self.faults.append(make_fault({"cause": cause, "node_index": node_index, "detail": drawn}))

    def _drawn(self, cause: str) -> Mapping[str, float]:
        values = _DRAWN.get("xid-" if cause.startswith("xid-") else cause, {})
        return {name: self._random.choice(choices) for name, choices in values.items()}

    def spare_between(self) -> bool:
        """Whether one more fault between nodes leaves at most a quarter of the remaining nodes faulty (rule
        2).
        """
        between = {f.node_index for f in self.faults if f.cause in BETWEEN}
        return (len(between) + 1) * 4 <= len(self._free) + len(between)


def _default(new: _Draw) -> None:
    new.add("efa-device-lost", new.node())
    new.add("xid-64", new.node())
    new.add("efa-device-slow", new.node())


def _none(new: _Draw) -> None:
    del new


def _three(new: _Draw) -> None:
    new.add(new.choose(COMBINABLE), new.node())
    new.add(new.choose(ALONE), new.node())
    _between(new)


def _combined(new: _Draw) -> None:
    node = new.node()
    first = new.choose(COMBINABLE)
    second = new.choose(tuple(kind for kind in COMBINABLE if not _of_one_check(kind, first)))
    new.add(first, node)
    new.add(second, node)


def _of_one_check(left: str, right: str) -> bool:
    """Whether both are the answer to one question (rule 4)."""
    if left == right or (left.startswith("xid-") and right.startswith("xid-")):
        return True
    return any({left, right} <= kinds for kinds in _OF_ONE_CHECK)


def _link(new: _Draw) -> None:
    ends = sorted((new.node(), new.node()))
    new.add("link-slow", ends[0], peer_index=ends[1])


def _fabric(new: _Draw) -> None:
    new.add(CLUSTER[new.turn % len(CLUSTER)])


def _hang(new: _Draw) -> None:
    if new.spare_between():
        new.add("collective-hang", new.node())
    new.add(new.choose(HARMLESS), new.node())


def _unreachable(new: _Draw) -> None:
    new.add("node-unreachable", new.node())
    _between(new)


def _one_alone(new: _Draw) -> None:
    new.add(new.choose(ALONE), new.node())


def _combined_and_between(new: _Draw) -> None:
    _combined(new)
    _between(new)


def _between(new: _Draw) -> None:
    if new.spare_between():
        new.add(new.choose(BETWEEN), new.node())


# Seeds take these in turn, so that any ten in a row show no fault, combined faults, a link, the fabric, a
# hang and a node that does not answer.
SCENARIOS: tuple[Callable[[_Draw], None], ...] = (
    _none,
    _three,
    _combined,
    _link,
    _fabric,
    _hang,
    _unreachable,
    _one_alone,
    _between,
    _combined_and_between,
)

FEWEST_NODES = 4


def scenario(seed: int | Literal["default"], *, nodes: int) -> tuple[Fault, ...]:
    """The faults of a seed on ``nodes`` nodes. Raises ``FaultsRefused`` below 4 nodes, where nothing can be
    told apart.
    """
    if nodes < FEWEST_NODES:
        raise FaultsRefused(
            f"faults cannot be drawn for {nodes} nodes; {FEWEST_NODES} or more are allowed",
            remedy="Give the environment more nodes, or write a faults file by hand.",
        )
    new = _Draw(seed, nodes)
    (_default if seed == "default" else SCENARIOS[seed % len(SCENARIOS)])(new)
    return tuple(new.faults)
