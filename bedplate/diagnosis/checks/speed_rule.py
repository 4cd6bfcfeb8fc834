"""The rule for a place's speed: right data, a floor where one is sourced, and the other nodes of the run."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from bedplate.diagnosis.checks.support import Writer, warning
from bedplate.diagnosis.parsers.disk_speed import DiskSpeed
from bedplate.diagnosis.storage_speed import PlaceSpeed
from bedplate.diagnosis.verdict import Finding, Verdict

FEWEST_PEERS = 2
"""Nodes with a figure, this one counted, below which there is nothing to compare with."""


@dataclass(frozen=True)
class SpeedBounds:
    """What is asked of the slower direction, in GB/s (1e9 bytes a second).

    ``floor_gb_per_s`` has a source, None where there is none. ``least_share`` is of the median of the nodes
    of this run. ``plausible_gb_per_s``: without a floor, a run that is slower agrees with its peers and still
    is no pass.
    """

    floor_gb_per_s: Optional[float]  # noqa: UP045 - evaluated on Python 3.9
    least_share: float
    plausible_gb_per_s: float = 0.0


def median_gb_per_s(records: Sequence[DiskSpeed]) -> float | None:
    """The median of the slower directions; None where too few nodes have one."""
    speeds = [record.lower_gb_per_s for record in records]
    return statistics.median(speeds) if len(speeds) >= FEWEST_PEERS else None


def judge_speed(
    *, writer: Writer, place: PlaceSpeed, bounds: SpeedBounds, median: float | None, cause: str
) -> Verdict:
    """Error for what cannot be trusted; fail for wrong data, below the floor, or far below the others;
    not-tested where there is nothing to hold it against; else pass.
    """
    record, findings = place.speed.record, list(_findings(place))
    if record is None or place.speed.problem:
        return writer.error(f"{place.place} was not measured: {place.speed.problem}", findings=findings)
    lower = round(record.lower_gb_per_s, 3)
    lines = _lines(record, bounds, median)
    if record.wrong_blocks:
        return writer.failed(
            f"{record.wrong_blocks} blocks of {place.place} came back other than they were written",
            cause="storage-corruption",
            measured=lower,
            findings=findings,
            lines=lines,
        )
    slow = _slow(lower, bounds, median)
    if slow:
        return writer.failed(
            f"{place.place} moves {lower:.2f} GB/s, {slow}",
            cause=cause,
            measured=lower,
            findings=findings,
            lines=lines,
        )
    if bounds.floor_gb_per_s is None:
        doubt = _doubt(lower, bounds, median)
        if doubt:
            return writer.not_tested(f"{place.place} moves {lower:.2f} GB/s, {doubt}", measured=lower)
    held = "above its floor" if bounds.floor_gb_per_s is not None else "like the other nodes (relative only)"
    return writer.passed(
        f"{place.place} moves {lower:.2f} GB/s, {held}", measured=lower, findings=findings, lines=lines
    )


def _slow(lower: float, bounds: SpeedBounds, median: float | None) -> str:
    if bounds.floor_gb_per_s is not None and lower < bounds.floor_gb_per_s:
        return f"below its floor of {bounds.floor_gb_per_s:.2f}"
    if median is not None and lower < bounds.least_share * median:
        return f"{lower / median:.0%} of the median of the nodes, {median:.2f}"
    return ""


def _doubt(lower: float, bounds: SpeedBounds, median: float | None) -> str:
    if median is None:
        return "and there is neither a published figure nor another node to compare it with"
    if lower < bounds.plausible_gb_per_s:
        return (
            f"like the other nodes, but less than {bounds.plausible_gb_per_s:.1f}: that all are slow alike "
            "cannot be excluded"
        )
    return ""


def _findings(place: PlaceSpeed) -> Iterator[Finding]:
    if place.left_behind:
        yield warning(
            f"What was written to {place.place} may not have been removed",
            remedy="Look into .bedplate/validation at its root; the node's next exercise removes it too.",
        )


def _lines(record: DiskSpeed, bounds: SpeedBounds, median: float | None) -> list[str]:
    lines = [
        f"{name}: {each.bytes / 1e9:.2f} GB in {each.seconds:.2f} s = {each.gb_per_s:.2f} GB/s"
        for name, each in (("written", record.write), ("read", record.read))
    ]
    if median is not None:
        lines.append(f"median of the nodes: {median:.2f} GB/s, at least {bounds.least_share:.0%} of it")
    return lines
