"""The least bus bandwidth that a healthy cluster must show: 0.9 × a published figure, nothing without one.

How a published figure applies to other runs, conservatively:

- **Size.** Bus bandwidth grows with the message until it levels off, so a figure holds for its own size
  and for larger ones.
- **Nodes, over EFA.** What EFA allows falls as nodes are added (``ceiling``: B × (n-1)/n × N/(N-1)), and so
  does what is measured. So a figure for N nodes holds for 2 to N nodes, and never for more: a pair's figure
  is flattered by the reduction inside its nodes. Of those that hold, the nearest node count is taken.
- **Nodes, within one NVLink domain.** Reduction in the switch makes bus bandwidth grow with the GPUs, so a
  figure holds for its own node count only.
- **EFA.** A figure over EFA holds where the node has at least the EFA rate that the published run had.
- **Instance types.** A figure holds for its own type only. Where one was measured on the same part
  elsewhere, its row says so, and the floor counts as derived.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bedplate.hardware.bandwidth.domain import path_of
from bedplate.hardware.bandwidth.factor import COLLECTIVES
from bedplate.hardware.bandwidth.published import EFA, GIB, MIB, PUBLISHED, Published
from bedplate.hardware.catalogue import instance_type as _row
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.unknown import UnknownCollective

SHARE = 0.9
"""The share of a published figure that is asked for: room for run-to-run spread, versions and placement."""


@dataclass(frozen=True)
class Floor:
    """What is asked of one run, in 1e9 bytes a second, and why.

    ``size_bytes`` and ``nodes`` are those of the published run; ``derived`` is true if they differ from the
    run asked about, or if that run was not on this instance type. ``reasoning`` is one sentence for the
    report.
    """

    value_gb_per_s: float
    size_bytes: int
    nodes: int
    source: str
    derived: bool
    published_gb_per_s: float
    reasoning: str


def bandwidth_floor(
    *,
    instance_type: str | InstanceType,
    collective: str,
    nodes: int,
    size_bytes: int,
    path: str | None = None,
) -> Floor | None:
    """Return the floor for this run, or ``None`` if no published figure holds: then nothing can be proven.

    A name stands for the type in its default layout; a row of another layout counts with its own EFAs.
    ``path="efa"`` is for UltraServer instances with NVLink between instances off. Raises
    ``UnknownInstanceType``, ``UnknownCollective``, and ``ValueError`` for counts that make no sense.
    """
    if collective not in COLLECTIVES:
        raise UnknownCollective(collective, COLLECTIVES)
    if size_bytes < 1:
        raise ValueError(f"size_bytes must be 1 or more, not {size_bytes}")
    instance = _row(instance_type) if isinstance(instance_type, str) else instance_type
    taken = path_of(instance, nodes=nodes, path=path)
    holding = [
        row
        for row in published_for(instance=instance, collective=collective, path=taken)
        if row.size_bytes <= size_bytes and (nodes <= row.nodes if taken == EFA else nodes == row.nodes)
    ]
    if not holding:
        return None
    nearest = min(holding, key=lambda row: (row.nodes, -row.size_bytes, row.gb_per_s))
    return _floor_from(nearest, nodes=nodes, size_bytes=size_bytes)


def published_for(*, instance: InstanceType, collective: str, path: str) -> tuple[Published, ...]:
    """Return the published runs of this type that its EFAs can be held to, whatever their size and nodes."""
    return tuple(
        row
        for row in PUBLISHED
        if (row.instance_type, row.collective, row.path) == (instance.name, collective, path)
        and (path != EFA or instance.efa_gb_per_s >= _row(row.instance_type).efa_gb_per_s)
    )


def floor_value(published_gb_per_s: float) -> float:
    """Return the floor that a published figure gives, rounded down to a tenth."""
    return math.floor(published_gb_per_s * SHARE * 10 + 1e-9) / 10


def _floor_from(row: Published, *, nodes: int, size_bytes: int) -> Floor:
    return Floor(
        value_gb_per_s=floor_value(row.gb_per_s),
        size_bytes=row.size_bytes,
        nodes=row.nodes,
        source=row.source,
        derived=bool(row.derivation) or row.nodes != nodes or row.size_bytes != size_bytes,
        published_gb_per_s=row.gb_per_s,
        reasoning=_reasoning(row, nodes=nodes, size_bytes=size_bytes),
    )


def _reasoning(row: Published, *, nodes: int, size_bytes: int) -> str:
    parts = [f"{SHARE} × {row.gb_per_s:g} GB/s, published for {row.nodes} × {row.instance_type}"]
    parts[0] += f" at {size_text(row.size_bytes)}"
    if row.derivation:
        parts.append(row.derivation)
    if row.nodes != nodes:
        parts.append(
            f"what EFA allows falls as nodes are added, so {nodes} nodes must reach what {row.nodes} reach"
        )
    if row.size_bytes != size_bytes:
        parts.append(f"larger messages are never slower, so it holds at {size_text(size_bytes)}")
    return "; ".join(parts)


def size_text(size_bytes: int) -> str:
    """Return a size as people write it, e.g. ``16 GiB``; bytes where it is no whole number of MiB."""
    if size_bytes % GIB == 0:
        return f"{size_bytes // GIB} GiB"
    if size_bytes % MIB == 0:
        return f"{size_bytes // MIB} MiB"
    return f"{size_bytes} bytes"
