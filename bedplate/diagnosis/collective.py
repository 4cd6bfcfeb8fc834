"""What the log of one collective between nodes says: the front door of the diagnosis for a multi-node run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType


@dataclass(frozen=True)
class CollectiveJudgement:
    """One run, judged whole.

    ``transport`` is NCL-002 (what was measured: EFA, GPUDirect, ranks) and ``bandwidth`` NCL-003 (data
    right, and at or above the floor at the named size). ``busbw_gb_per_s`` is there whenever a trustworthy
    table holds the named size, floor or not, so that runs of one shape can be compared; it is the lower of
    in-place and out-of-place. ``ranks`` is the proven number, None where unproven. ``problem`` is empty
    where both verdicts could be made.
    """

    transport: Verdict
    bandwidth: Verdict
    busbw_gb_per_s: float | None
    ranks: int | None
    measurement: Measurement | None
    hung: bool
    problem: str

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """NCL-002 and NCL-003."""
        return (self.transport, self.bandwidth)

    @property
    def outcome(self) -> Outcome:
        """The worse of the two: fail, then error, then not-tested, then pass."""
        order = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.NOT_APPLICABLE, Outcome.PASS)
        return min((self.transport.outcome, self.bandwidth.outcome), key=order.index)


def judge_collective(
    *,
    log: str,
    rc: int | None,
    timed_out: bool,
    nodes: Sequence[str],
    instance_type: InstanceType,
    collective: str = "all_reduce",
    size_bytes: int = 16 * 1024**3,
    begin_bytes: int = 8,
    scope: str = "all-nodes",
    evidence: Sequence[str] = (),
) -> CollectiveJudgement:
    """Judge one collective over ``nodes`` (instance ids), run with one rank a GPU and sizes doubling from
    ``begin_bytes``.

    ``log`` is stdout and stderr together with NCCL_DEBUG=INFO; ``scope`` is ``all-nodes`` (subject: the
    cluster) or ``pair`` (subject: the link between two nodes). A run past its deadline fails with the cause
    ``collective-hang``; a launch failure, another non-zero end, a partial or contradictory table is an
    error; no floor is not-tested.
    """
    raise NotImplementedError
