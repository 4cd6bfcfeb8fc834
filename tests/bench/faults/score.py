"""What one run proved: was a fault let pass, was it named rightly, was an innocent blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bedplate.sandbox.fleet.comparison import Blame, compare
from bedplate.sandbox.fleet.consequences import NAMED_AS, UNNAMED, consequences, must_be_named
from bedplate.validation.result import RunResult
from tests.bench.faults.draws import THROTTLED

NAMED, CONSEQUENCE, UNPROVEN, OPEN, HARMLESS, LET_PASS = (
    "named",
    "consequence",
    "unproven",
    "open",
    "harmless",
    "let pass",
)


@dataclass(frozen=True)
class Score:
    """``faults`` are (kind, what became of it): ``named``: that cause on that subject. ``consequence``:
    another cause that the same fault explains. ``unproven``: the kind has no cause of its own, and the run
    is rightly not passed. ``open``: the run is not passed, and names neither.
    ``harmless``: nothing had to be said. ``let pass``: the run passed. ``wrong`` are blames of innocents, or
    of other causes; ``why`` says for a run without a fault why it did not pass. ``crash`` is what the
    validation raised that it must not; such a run has no result. ``version`` is the commit that made the run,
    with a plus where files were changed.
    """

    number: int
    how: str
    instance_type: str
    size: int
    faults: tuple[tuple[str, str], ...]
    passed: bool
    wrong: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    seconds: float = 0.0
    crash: str = ""
    version: str = ""

    @property
    def false_pass(self) -> bool:
        """Whether the run passed over a fault that had to be told."""
        return any(fate == LET_PASS for _, fate in self.faults)

    @property
    def healthy(self) -> bool:
        """Whether nothing was injected that has to be told."""
        return all(fate == HARMLESS for _, fate in self.faults)

    def to_json(self) -> dict[str, Any]:
        """One line of the log of runs."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Score:
        """The inverse of ``to_json``."""
        faults = tuple((str(kind), str(fate)) for kind, fate in data["faults"])
        return cls(**{**data, "faults": faults, "wrong": tuple(data["wrong"]), "why": tuple(data["why"])})


def score(
    *,
    number: int,
    how: str,
    instance_type: str,
    size: int,
    injected: Mapping[str, Any],
    result: RunResult,
    seconds: float,
) -> Score:
    """Judge one run's result by what was injected; ``result`` is incomplete where AWS refused."""
    passed = result.passed()
    found = compare(injected, result)
    named = {*found.matched, *found.explained}
    faults = tuple((str(row["cause"]), _fate(row, passed, named)) for row in injected["faults"])
    healthy = all(fate == HARMLESS for _, fate in faults)
    return Score(
        number=number,
        how=how,
        instance_type=instance_type,
        size=size,
        faults=faults,
        passed=passed,
        wrong=tuple(str(blame) for blame in found.wrongly_blamed),
        why=found.unusable if healthy and not passed else (),
        seconds=round(seconds, 3),
    )


def _fate(row: Mapping[str, Any], passed: bool, named: set[Blame]) -> str:
    cause, subjects = str(row["cause"]), tuple(sorted(row["subjects"]))
    if cause == THROTTLED:
        return LET_PASS if passed else UNPROVEN
    if not must_be_named(cause) and cause not in UNNAMED:
        return HARMLESS
    if passed:
        return LET_PASS
    if Blame(NAMED_AS.get(cause, cause), subjects) in named:
        return NAMED
    allowed = consequences(cause)
    other = any(
        blame.cause in allowed and set(blame.subjects) <= set(subjects or blame.subjects) for blame in named
    )
    if other:
        return CONSEQUENCE
    return UNPROVEN if cause in UNNAMED else OPEN
