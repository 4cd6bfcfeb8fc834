"""What a collective must reach at one size, on what ground, and what it cannot exceed. Pure.

Three grounds, each a lower bound; the highest of those that there are is asked for:

- **published**: 0.9 × a figure that somebody published for this type, node count, collective and size
  (``bedplate.hardware.bandwidth.floor``),
- **baseline**: 0.95 × what this cluster itself reached when it was accepted (SuperBench asks 5 % of variance
  at most; a warning comes at 3.5 %, as in Azure's guide),
- **relative**: 0.9 × the median of groups of the same shape in the same run; or 0.8 × the median of smaller
  groups, scaled by what the wires allow both shapes. The 0.9 is the rule of the search between nodes; the 0.8
  leaves room for what more nodes cost beside the wires, and is unverified on hardware.

A relative ground alone proves nothing absolute: a fleet that is slow everywhere agrees with itself. So where
neither of the others exists, a verdict says that it is relative only, and there is none below three fifths of
what the wires carry: every published run of large messages reaches more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Optional

from bedplate.hardware import (
    GIB,
    Ceiling,
    Floor,
    InstanceType,
    UnknownCollective,
    UnknownInstanceType,
    bandwidth_ceiling,
    bandwidth_floor,
)

PUBLISHED = "published"
BASELINE = "baseline"
RELATIVE = "relative"

NAMED_SIZES: tuple[int, ...] = (1 * GIB, 16 * GIB)
"""The sizes that are judged, in bytes: gradient buckets are of the first, and the second levels off."""

BASELINE_SHARE = 0.95
BASELINE_WARNING_SHARE = 0.965
SAME_SHAPE_SHARE = 0.9
OTHER_SHAPE_SHARE = 0.8
PLAUSIBLE_SHARE = 0.6
ENOUGH_PEERS = 2


@dataclass(frozen=True)
class Reference:
    """What groups of ``nodes`` nodes each reached in the same run at the same size, in GB/s.

    ``floor_gb_per_s`` is the absolute floor that they were held to and reached, None where there is none.
    """

    nodes: int
    values_gb_per_s: tuple[float, ...]
    floor_gb_per_s: Optional[float] = None  # noqa: UP045


@dataclass(frozen=True)
class Accepted:
    """What this cluster reached when it was accepted, in GB/s, and from which run that is."""

    gb_per_s: float
    nodes: int
    source: str


@dataclass(frozen=True)
class Least:
    """One lower bound: ``basis`` is its ground, ``source`` says in one line where it comes from.

    ``warning_gb_per_s`` is a second bound that merely warns; None where there is none.
    """

    gb_per_s: float
    basis: str
    source: str
    warning_gb_per_s: Optional[float] = None  # noqa: UP045


@dataclass(frozen=True)
class Expectation:
    """What a run must reach at ``size_bytes``: ``least`` is None where nothing says what is enough."""

    size_bytes: int
    least: Optional[Least]  # noqa: UP045
    ceiling: Optional[Ceiling]  # noqa: UP045
    anchored: bool = True
    """For a relative bound: whether the groups that it stands on reached an absolute floor themselves."""

    @property
    def floor_gb_per_s(self) -> float | None:
        """The bound itself."""
        return None if self.least is None else self.least.gb_per_s

    @property
    def ceiling_gb_per_s(self) -> float | None:
        """The ceiling itself."""
        return None if self.ceiling is None else self.ceiling.value_gb_per_s

    @property
    def source(self) -> str:
        """Where the bound comes from, in one line; empty where there is none."""
        return "" if self.least is None else self.least.source

    @property
    def basis(self) -> str:
        """The ground of the bound; empty where there is none."""
        return "" if self.least is None else self.least.basis

    @property
    def plausible_gb_per_s(self) -> float:
        """The least that a bound which is relative only may pass."""
        return 0.0 if self.ceiling is None else PLAUSIBLE_SHARE * self.ceiling.wire_gb_per_s


@dataclass(frozen=True)
class Shape:
    """What is run: one collective over ``nodes`` whole nodes, at one size, over one path.

    ``path`` is ``efa`` where NVLink between instances is off, ``nvlink`` where it must carry all, and None
    for types whose instances share none.
    """

    instance_type: InstanceType
    collective: str
    nodes: int
    path: Optional[str] = None  # noqa: UP045


def expectations(
    *,
    shape: Shape,
    sizes: Sequence[int] = NAMED_SIZES,
    accepted: Sequence[tuple[int, Accepted]] = (),
    reference: Reference | None = None,
) -> tuple[Expectation, ...]:
    """One expectation a size, smallest first.

    ``accepted`` holds (size in bytes, figure) of the stored baseline for this shape; ``reference`` is of the
    largest size, the only one at which groups of other shapes can be compared: it has levelled off.
    """
    ordered = sorted(sizes)
    stored = dict(accepted)
    return tuple(
        _at(shape, size, stored.get(size), reference if size == ordered[-1] else None) for size in ordered
    )


def _at(shape: Shape, size: int, accepted: Accepted | None, reference: Reference | None) -> Expectation:
    ceiling = _ceiling(shape)
    relative = _relative(shape, reference, ceiling)
    bounds = [bound for bound in (_published(shape, size), _of_baseline(accepted)) if bound is not None]
    same_shape = reference is not None and reference.nodes == shape.nodes
    if relative is not None and (same_shape or not bounds):
        bounds.append(relative)
    absolute = [bound for bound in bounds if bound.basis != RELATIVE]
    highest = max(bounds, key=lambda bound: bound.gb_per_s, default=None)
    anchored = bool(absolute) or (reference is not None and reference.floor_gb_per_s is not None)
    return Expectation(size, highest, ceiling, anchored)


def _published(shape: Shape, size: int) -> Least | None:
    floor: Floor | None = None
    try:
        floor = bandwidth_floor(
            instance_type=shape.instance_type,
            collective=shape.collective,
            nodes=shape.nodes,
            size_bytes=size,
            path=shape.path,
        )
    except (UnknownCollective, UnknownInstanceType, ValueError):
        return None
    if floor is None:
        return None
    return Least(floor.value_gb_per_s, PUBLISHED, f"{floor.source}: {floor.reasoning}")


def _of_baseline(accepted: Accepted | None) -> Least | None:
    if accepted is None:
        return None
    return Least(
        round(BASELINE_SHARE * accepted.gb_per_s, 1),
        BASELINE,
        f"{BASELINE_SHARE} × {accepted.gb_per_s:g} GB/s, this cluster's own baseline over {accepted.nodes} "
        f"nodes ({accepted.source})",
        round(BASELINE_WARNING_SHARE * accepted.gb_per_s, 1),
    )


def _relative(shape: Shape, reference: Reference | None, ceiling: Ceiling | None) -> Least | None:
    if reference is None or ceiling is None or len(reference.values_gb_per_s) < ENOUGH_PEERS:
        return None
    middle = median(reference.values_gb_per_s)
    groups = f"{len(reference.values_gb_per_s)} groups of {reference.nodes}"
    if reference.nodes == shape.nodes:
        return Least(
            round(SAME_SHAPE_SHARE * middle, 1),
            RELATIVE,
            f"relative: {SAME_SHAPE_SHARE} × {middle:g} GB/s, the median of {groups} in this run",
        )
    smaller = _ceiling(
        Shape(shape.instance_type, shape.collective, reference.nodes, shape.path),
    )
    if smaller is None:
        return None
    scale = ceiling.value_gb_per_s / smaller.value_gb_per_s
    held = (
        f", which reached the published floor of {reference.floor_gb_per_s:g} GB/s"
        if reference.floor_gb_per_s is not None
        else ", which no published figure holds for either"
    )
    return Least(
        round(OTHER_SHAPE_SHARE * middle * min(scale, 1.0), 1),
        RELATIVE,
        f"relative: {OTHER_SHAPE_SHARE} × {middle:g} GB/s, the median of {groups} in this run{held}; × "
        f"{min(scale, 1.0):.2f}, what the wires allow {shape.nodes} nodes beside {reference.nodes}",
    )


def _ceiling(shape: Shape) -> Ceiling | None:
    try:
        return bandwidth_ceiling(
            instance_type=shape.instance_type,
            collective=shape.collective,
            nodes=shape.nodes,
            path=shape.path,
        )
    except (UnknownCollective, UnknownInstanceType, ValueError):
        return None
