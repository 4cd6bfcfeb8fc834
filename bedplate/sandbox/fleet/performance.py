"""How fast a collective is on simulated nodes: published figures, latency, and what faults do to them. Pure.

A model, not a measurement. At 16 GiB a healthy run has the bus bandwidth that its table gives: what was
published for the type, collective and number of nodes where anything was (``bedplate.hardware.PUBLISHED``),
and an assumption of ours beside it, drawn between and beyond the published points and below what the wires
allow. Between two node counts lies a straight line in the logarithm of the count. At other sizes the time is
``latency + ideal × (1 + (ramp / size) ^ exponent)``, fitted to the published p5 pair and p5 single node.

A fault between nodes scales what the EFAs can carry, not what was measured: an all-reduce of a p5en pair is
limited by NVLink and uses about two thirds of the EFAs, so a mildly slow device hides in it, and shows in
all-gather (``bedplate.hardware.bandwidth.ceiling`` has the arithmetic).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.hardware import busbw_factor

ANCHOR_BYTES = 16 * 1024**3
NOISE = 0.01
SOCKET_GB_PER_S = 7.5
"""What one ENA interface carries for NCCL's socket transport: 5 to 10 GB/s."""
# The share of the physical bound between nodes that published runs of NCCL reach over EFA: 84 to 87 %.
_EFA_EFFICIENCY = 0.87


class NotModelled(Exception):
    """There is no published figure that this type, collective or shape could be modelled on."""


@dataclass(frozen=True)
class Node:
    """What of one node matters to a collective: its healthy hardware, and factors of the healthy rate.

    ``efa_speed`` is the factor of the GPU with the worst EFAs, since every GPU waits for the slowest.
    """

    gpus: int
    efa_gb_per_s: float
    efa_speed: float = 1.0
    nvlink_speed: float = 1.0
    socket: bool = False


def _rooted(*, inside: float, between: float, neighbours: float) -> dict[str, dict[int, float]]:
    """Broadcast, reduce and sendrecv, all assumed: rings are bound by one node's EFAs, and in sendrecv one
    GPU of a node sends out of it, by its own share of them.
    """
    return {
        "broadcast": {1: inside, 2: between, 64: 0.95 * between},
        "reduce": {1: inside, 2: between, 64: 0.95 * between},
        "sendrecv": {1: inside, 2: neighbours},
    }


# Type → collective → {nodes: GB/s at 16 GiB}, published or assumed. 361 and 363 were
# published for all-gather and reduce-scatter inside an H200 node.
_NVLINK4 = {"all_gather": 361.0, "reduce_scatter": 363.0, "alltoall": 330.0}
_P5_PAIRS = {
    "all_gather": {1: _NVLINK4["all_gather"], 2: 340.0, 16: 345.0, 64: 340.0},
    "reduce_scatter": {1: _NVLINK4["reduce_scatter"], 2: 340.0, 16: 345.0, 64: 340.0},
    "alltoall": {1: _NVLINK4["alltoall"], 2: 79.1, 4: 54.6, 8: 47.5, 16: 44.7, 64: 42.8},
    **_rooted(inside=350.0, between=335.0, neighbours=45.0),
}
_FIGURES: dict[str, dict[str, dict[int, float]]] = {
    "p5.48xlarge": {"all_reduce": {1: 483.0, 2: 487.0, 8: 386.6, 16: 369.0, 64: 352.0}, **_P5_PAIRS},
    "p5e.48xlarge": {"all_reduce": {1: 478.0, 2: 483.0, 8: 390.0, 16: 369.0, 64: 352.0}, **_P5_PAIRS},
    "p5en.48xlarge": {"all_reduce": {1: 478.0, 2: 480.0, 8: 406.0, 16: 369.7, 64: 355.0}, **_P5_PAIRS},
    "p6-b200.48xlarge": {
        "all_reduce": {1: 845.7, 2: 640.0, 4: 382.0, 16: 368.0, 64: 352.0},
        "all_gather": {1: 660.0, 2: 345.0, 64: 340.0},
        "reduce_scatter": {1: 660.0, 2: 345.0, 64: 340.0},
        "alltoall": {1: 620.0, 2: 80.0, 4: 55.0, 8: 48.0, 16: 45.0, 64: 43.0},
        **_rooted(inside=600.0, between=335.0, neighbours=45.0),
    },
    "p6-b300.48xlarge": {
        "all_reduce": {1: 845.7, 2: 690.0, 4: 700.0, 16: 680.0, 64: 660.0},
        "all_gather": {1: 660.0, 2: 640.0, 64: 640.0},
        "reduce_scatter": {1: 660.0, 2: 640.0, 64: 640.0},
        "alltoall": {1: 620.0, 2: 158.0, 4: 108.0, 8: 94.0, 16: 89.0, 64: 85.0},
        **_rooted(inside=600.0, between=640.0, neighbours=90.0),
    },
    # With NVLink between nodes off: 4 nodes were published, the rest is assumed below what EFA allows.
    "p6e-gb200.36xlarge": {
        "all_reduce": {1: 690.0, 2: 250.0, 4: 191.4, 18: 186.0, 64: 180.0},
        "all_gather": {1: 640.0, 2: 192.0, 4: 191.3, 18: 188.0, 64: 182.0},
        "reduce_scatter": {1: 640.0, 2: 192.0, 4: 191.3, 18: 188.0, 64: 182.0},
        "alltoall": {1: 600.0, 2: 80.0, 4: 58.2, 9: 51.0, 18: 48.0, 64: 46.0},
        **_rooted(inside=600.0, between=185.0, neighbours=45.0),
    },
}
# Type → collective → {nodes: GB/s} where NVLink carries all between the nodes of one UltraServer: 4 nodes,
# and all-reduce over 18, were published.
_NVLINK_FIGURES: dict[str, dict[str, dict[int, float]]] = {
    "p6e-gb200.36xlarge": {
        "all_reduce": {2: 800.0, 4: 882.5, 9: 860.0, 18: 838.0},
        "all_gather": {2: 650.0, 4: 609.3, 18: 575.0},
        "reduce_scatter": {2: 650.0, 4: 609.3, 18: 575.0},
        "alltoall": {2: 590.0, 4: 568.7, 18: 540.0},
        "broadcast": {2: 600.0, 18: 560.0},
        "reduce": {2: 600.0, 18: 560.0},
        "sendrecv": {2: 620.0, 18: 600.0},
    },
}

MODELLED_TYPES = tuple(_FIGURES)
MODELLED_COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "sendrecv",
)


def healthy_gb_per_s(instance_type: str, collective: str, nodes: int, *, over_nvlink: bool = False) -> float:
    """Bus bandwidth at 16 GiB over ``nodes`` healthy nodes, without noise. Raises ``NotModelled``.

    ``over_nvlink`` is for nodes of one UltraServer whose NVLinks carry all that goes between them.
    """
    table = _NVLINK_FIGURES if over_nvlink else _FIGURES
    try:
        figures = table[instance_type][collective]
    except KeyError:
        raise NotModelled(
            f"{collective} on {instance_type} is not modelled; modelled are "
            f"{', '.join(MODELLED_COLLECTIVES)} on {', '.join(MODELLED_TYPES)}"
        ) from None
    known = sorted(figures)
    if nodes in figures:
        return figures[nodes]
    low = max((n for n in known if n < nodes), default=known[0])
    high = min((n for n in known if n > nodes), default=known[-1])
    if low == high:
        return figures[low]
    share = math.log(nodes / low) / math.log(high / low)
    return figures[low] + share * (figures[high] - figures[low])


def bandwidth_gb_per_s(
    *,
    instance_type: str,
    collective: str,
    nodes: Sequence[Node],
    link_speed: float = 1.0,
    fabric_speed: float = 1.0,
    over_nvlink: bool = False,
) -> float:
    """Bus bandwidth at 16 GiB over these nodes with their faults, without noise.

    ``link_speed`` is the factor of the slowest link among them: the rings of a collective are taken to cross
    every link. ``fabric_speed`` slows every run between nodes alike, those over NVLink excepted.
    """
    inside = healthy_gb_per_s(instance_type, collective, 1) * min(node.nvlink_speed for node in nodes)
    count = len(nodes)
    if count == 1:
        return inside
    if over_nvlink:
        healthy = healthy_gb_per_s(instance_type, collective, count, over_nvlink=True)
        return healthy * min(node.nvlink_speed for node in nodes)
    if any(node.socket for node in nodes):
        return SOCKET_GB_PER_S
    healthy = healthy_gb_per_s(instance_type, collective, count)
    carried = _efa_bound(collective, nodes, healthy) * min(node.efa_speed for node in nodes) * link_speed
    slowed_inside = inside if min(node.nvlink_speed for node in nodes) < 1 else math.inf
    return min(healthy, carried, slowed_inside) * fabric_speed


def _efa_bound(collective: str, nodes: Sequence[Node], healthy: float) -> float:
    """What the EFAs could carry if nothing else limited: all-reduce over few nodes leaves some of it
    unused.
    """
    if collective != "all_reduce":
        return healthy
    count, ranks = len(nodes), sum(node.gpus for node in nodes)
    bound = min(node.efa_gb_per_s for node in nodes) * (ranks - 1) / ranks * count / (count - 1)
    return max(healthy, _EFA_EFFICIENCY * bound)


@dataclass(frozen=True)
class _Shape:
    latency_us: float
    ramp_mib: float
    exponent: float


def _shape(nodes: int) -> _Shape:
    """Latency and ramp: 30 us inside a node, 60 us over a pair, about 150 us over 16 nodes (published first
    rows); the ramp is fitted to the pair of p5 and to 4 nodes of p6-b200.
    """
    if nodes == 1:
        return _Shape(30.0, 3.0, 0.5)
    doublings = math.log2(nodes)
    return _Shape(60.0 + 30.0 * (doublings - 1), 31.0 * (doublings + 1), 0.83)


def seconds_per_run(
    *, collective: str, size_bytes: int, ranks: int, nodes: int, anchor_gb_per_s: float
) -> float:
    """Time of one collective of ``size_bytes`` that reaches ``anchor_gb_per_s`` of bus bandwidth at 16
    GiB.
    """
    shape = _shape(nodes)
    if size_bytes == 0 or ranks < 2:
        return shape.latency_us * 1e-6

    def time_at(size: int, rate: float) -> float:
        ideal = busbw_factor(collective, ranks) * size / (rate * 1e9)
        return shape.latency_us * 1e-6 + ideal * (1 + math.pow(shape.ramp_mib * 2**20 / size, shape.exponent))

    # The rate at which 16 GiB come out at the anchor, ramp and latency included.
    wanted = busbw_factor(collective, ranks) * ANCHOR_BYTES / (anchor_gb_per_s * 1e9)
    rate = anchor_gb_per_s * time_at(ANCHOR_BYTES, anchor_gb_per_s) / wanted
    return time_at(size_bytes, rate)


def noise(key: str) -> float:
    """A factor within ±1 % that depends on nothing but ``key``."""
    return 1 + random.Random(key).uniform(-NOISE, NOISE)  # noqa: S311 - reproducible, no secret
