"""A bandwidth that was measured, beside what was expected of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.bandwidth_expectation import Expectation
from bedplate.diagnosis.checks.collective_run import CollectiveRun


@dataclass(frozen=True)
class Measurement:
    """One collective's bus bandwidth at one size; GB/s are 1e9 bytes per second.

    ``scope`` is ``in-node``, ``pair``, ``group``, ``nvlink-domain`` or ``all-nodes``; ``path`` is ``nvlink``
    or ``efa``; ``busbw_gb_per_s`` is the lower of in-place and out-of-place; floor and ceiling are None where
    there is none, and ``basis`` says on what ground the floor stands. The field names are those of
    ``bedplate.validation.result.Bandwidth``.
    """

    collective: str
    scope: str
    nodes: tuple[str, ...]
    ranks: int
    size_bytes: int
    busbw_gb_per_s: float
    floor_gb_per_s: float | None
    ceiling_gb_per_s: float | None
    source: str = ""
    basis: str = ""
    path: str = ""


def measurements(
    *, run: CollectiveRun, expected: Sequence[Expectation], scope: str, nodes: Sequence[str], path: str
) -> tuple[Measurement, ...]:
    """One measurement a named size of a run whose bandwidth is trusted, smallest first."""
    found = []
    for each in expected:
        busbw = run.busbw_at(each.size_bytes)
        if busbw is not None:
            found.append(
                Measurement(
                    collective=run.asked.collective,
                    scope=scope,
                    nodes=tuple(nodes),
                    ranks=run.asked.ranks,
                    size_bytes=each.size_bytes,
                    busbw_gb_per_s=busbw,
                    floor_gb_per_s=each.floor_gb_per_s,
                    ceiling_gb_per_s=each.ceiling_gb_per_s,
                    source=each.source,
                    basis=each.basis,
                    path=path,
                )
            )
    return tuple(found)
