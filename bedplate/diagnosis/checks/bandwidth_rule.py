"""The rule for a bandwidth: data right, table whole, nothing faster than the wires, and at every named size
at or above what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bedplate.diagnosis.bandwidth_expectation import RELATIVE, Expectation
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.crash import COLLECTIVE_CRASH, crash_of
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer, info, warning
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.hardware.bandwidth.floor import size_text

_MAKE_A_BASELINE = (
    "Where the figure is what you accept, store it as this cluster's baseline: `bedplate baseline accept`."
)


def trusted_bandwidth(*, run: CollectiveRun, expected: Sequence[Expectation]) -> float | None:
    """The bandwidth in GB/s at the largest named size, of a whole run with right results and no size faster
    than the wires; None for any other run.
    """
    if run.hung or run.wrong or run.problem() or any(_too_fast(run, each) for each in expected):
        return None
    return run.busbw_at(expected[-1].size_bytes)


def judge_bandwidth(
    *,
    writer: Writer,
    run: CollectiveRun,
    expected: Sequence[Expectation],
    slow_cause: str | None,
    unproven: Callable[[], str] = str,
    crash_is_a_fault: bool = False,
) -> Verdict:
    """Judge one run at every named size, smallest first in ``expected``.

    ``unproven`` says why, for all its bandwidth, it measured something else (empty: it did not).
    ``crash_is_a_fault`` says that a run whose program crashed fails by that; else it is an error.
    """
    largest = expected[-1]
    busbw = run.busbw_at(largest.size_bytes)
    if run.hung:
        return writer.failed(
            "The collective ran past its deadline", cause="collective-hang", lines=run.failure_lines()
        )
    if run.wrong:
        return writer.failed(
            "The collective gave wrong results", cause="data-corruption", measured=busbw, lines=run.wrong
        )
    crash = crash_of(run) if crash_is_a_fault else None
    if crash is not None:
        return writer.failed(
            f"The collective crashed: {crash.told}",
            cause=COLLECTIVE_CRASH,
            lines=run.failure_lines(),
            remedy=crash.mend,
        )
    problem = run.problem()
    if problem:
        return writer.error(
            f"The bandwidth cannot be judged: {problem}",
            measured=busbw,
            lines=run.failure_lines(),
            remedy=remedy_for("\n".join([problem, *run.failure_lines()])) or LOOK_AGAIN,
        )
    missing = [each for each in expected if run.busbw_at(each.size_bytes) is None]
    if busbw is None or missing:
        return writer.error("The bandwidth cannot be judged: a size that is judged is missing in the table")
    lines = [row.text for row in (run.row_at(each.size_bytes) for each in expected) if row is not None]
    return _judge_sizes(writer, run, expected, busbw, lines, slow_cause, unproven)


def _judge_sizes(
    writer: Writer,
    run: CollectiveRun,
    expected: Sequence[Expectation],
    busbw: float,
    lines: Sequence[str],
    slow_cause: str | None,
    unproven: Callable[[], str],
) -> Verdict:
    largest = expected[-1]
    for each in expected:
        if each.ceiling is not None and _too_fast(run, each):
            return writer.error(
                f"{_figure(run, each)} is more than the wires allow ({each.ceiling.value_gb_per_s:.0f} GB/s)",
                measured=busbw,
                lines=lines,
            )
    slow = [each for each in expected if _below(run, each, each.floor_gb_per_s)]
    if slow:
        told = "; ".join(
            f"{_figure(run, each)} is below the floor of {each.floor_gb_per_s:g} GB/s" for each in slow
        )
        return writer.failed(told, cause=slow_cause, measured=busbw, lines=lines)
    if largest.least is None:
        return writer.not_tested(
            f"Measured {_figure(run, largest)}, and nothing says what is enough here: no figure is "
            "published, there is no baseline of this cluster, and no peer to compare with",
            measured=busbw,
            remedy=_MAKE_A_BASELINE,
        )
    if largest.basis == RELATIVE and busbw < largest.plausible_gb_per_s:
        return writer.not_tested(
            f"{_figure(run, largest)} agrees with its peers, and is less than "
            f"{largest.plausible_gb_per_s:.0f} GB/s, three fifths of what the wires carry: that all are slow "
            "alike cannot be excluded",
            measured=busbw,
            remedy=_MAKE_A_BASELINE,
        )
    doubt = unproven()
    if doubt:
        return writer.error(
            f"{_figure(run, largest)} would be enough, but {doubt}", measured=busbw, lines=lines
        )
    told = f"{_figure(run, largest)}, at or above the {_bound(largest)} of {largest.floor_gb_per_s:g} GB/s"
    return writer.passed(told, measured=busbw, lines=lines, findings=tuple(_findings(run, expected)))


def _findings(run: CollectiveRun, expected: Sequence[Expectation]) -> Iterator[Finding]:
    """What rides on a pass: that it is relative only, that it nears its baseline, what had no floor."""
    largest = expected[-1]
    if largest.basis == RELATIVE and not largest.anchored:
        yield warning(
            "Relative only: no published figure and no baseline holds here, so that a fleet which is slow "
            f"everywhere alike would pass. {largest.source}",
            remedy=_MAKE_A_BASELINE,
        )
    elif largest.basis == RELATIVE:
        yield info(f"Relative only: no figure is published for this many nodes. {largest.source}")
    for each in expected:
        near = None if each.least is None else each.least.warning_gb_per_s
        if _below(run, each, near):
            yield warning(
                f"{_figure(run, each)} is near the end of what the baseline allows: {each.source}",
                remedy="Compare software versions and the search with the run that was accepted.",
            )
        if each.least is None:
            yield info(f"{_figure(run, each)} was measured and not judged: no figure holds at this size")


def _bound(expected: Expectation) -> str:
    return "relative bound" if expected.basis == RELATIVE else "floor"


def _figure(run: CollectiveRun, expected: Expectation) -> str:
    return f"{run.busbw_at(expected.size_bytes):g} GB/s at {size_text(expected.size_bytes)}"


def _below(run: CollectiveRun, expected: Expectation, bound: float | None) -> bool:
    busbw = run.busbw_at(expected.size_bytes)
    return bound is not None and busbw is not None and busbw < bound


def _too_fast(run: CollectiveRun, expected: Expectation) -> bool:
    busbw = run.busbw_at(expected.size_bytes)
    return expected.ceiling is not None and busbw is not None and not expected.ceiling.allows(busbw)
