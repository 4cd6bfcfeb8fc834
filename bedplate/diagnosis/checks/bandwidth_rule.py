"""The rule for one bandwidth: data right, table whole, nothing faster than the wires, and at or above the
floor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import (
    Ceiling,
    Floor,
    InstanceType,
    UnknownCollective,
    UnknownInstanceType,
    bandwidth_ceiling,
    bandwidth_floor,
)

_CEILING_SLACK = 1.02


@dataclass(frozen=True)
class Expectation:
    """What a run over some nodes must reach at a size, and what it cannot exceed; None where nothing is
    sourced.
    """

    floor: Floor | None
    ceiling: Ceiling | None

    @property
    def source(self) -> str:
        """Where the floor comes from, in one line."""
        return "" if self.floor is None else f"{self.floor.source}: {self.floor.reasoning}"


def expectation(*, instance_type: InstanceType, collective: str, nodes: int, size_bytes: int) -> Expectation:
    """Look the floor and the ceiling up; an unknown type, collective or count has neither."""
    floor: Floor | None = None
    ceiling: Ceiling | None = None
    try:
        floor = bandwidth_floor(
            instance_type=instance_type.name, collective=collective, nodes=nodes, size_bytes=size_bytes
        )
        ceiling = bandwidth_ceiling(instance_type=instance_type.name, collective=collective, nodes=nodes)
    except (UnknownCollective, UnknownInstanceType, ValueError):
        pass
    return Expectation(floor, ceiling)


def trusted_bandwidth(*, run: CollectiveRun, expected: Expectation) -> float | None:
    """The bandwidth in GB/s of a whole run with right results, not faster than the wires; None for any
    other run.
    """
    busbw = run.busbw_gb_per_s
    if busbw is None or run.hung or run.wrong or run.problem() or _too_fast(busbw, expected):
        return None
    return busbw


def _too_fast(busbw: float, expected: Expectation) -> bool:
    return expected.ceiling is not None and busbw > expected.ceiling.value_gb_per_s * _CEILING_SLACK


def judge_bandwidth(
    *,
    writer: Writer,
    run: CollectiveRun,
    expected: Expectation,
    slow_cause: str | None,
    unproven: Callable[[], str] = str,
) -> Verdict:
    """Judge one run. ``unproven`` says why, for all its bandwidth, it measured something else (empty: it
    did not).
    """
    busbw = run.busbw_gb_per_s
    if run.hung:
        return writer.failed(
            "The collective ran past its deadline", cause="collective-hang", lines=run.failure_lines()
        )
    if run.wrong:
        return writer.failed(
            "The collective gave wrong results", cause="data-corruption", measured=busbw, lines=run.wrong
        )
    problem = run.problem()
    if problem:
        return writer.error(
            f"The bandwidth cannot be judged: {problem}",
            measured=busbw,
            lines=run.failure_lines(),
            remedy=remedy_for("\n".join([problem, *run.failure_lines()])) or LOOK_AGAIN,
        )
    if busbw is None:
        return writer.error("The bandwidth cannot be judged: the largest size asked for is missing")
    lines = [] if run.last_row is None else [run.last_row.text]
    if expected.ceiling is not None and _too_fast(busbw, expected):
        return writer.error(
            f"{busbw:g} GB/s is more than the wires allow ({expected.ceiling.value_gb_per_s:.0f} GB/s)",
            measured=busbw,
            lines=lines,
        )
    if expected.floor is None:
        return writer.not_tested(
            f"Measured {busbw:g} GB/s, and no published figure says what is enough here",
            measured=busbw,
            remedy="Compare it with the runs before, and waive the check with that reason; an environment "
            "file cannot name a floor of its own yet.",
        )
    if busbw < expected.floor.value_gb_per_s:
        return writer.failed(
            f"{busbw:g} GB/s is below the floor of {expected.floor.value_gb_per_s:g} GB/s",
            cause=slow_cause,
            measured=busbw,
            lines=lines,
        )
    doubt = unproven()
    if doubt:
        return writer.error(f"{busbw:g} GB/s would be enough, but {doubt}", measured=busbw, lines=lines)
    return writer.passed(f"{busbw:g} GB/s, at or above the floor", measured=busbw, lines=lines)
