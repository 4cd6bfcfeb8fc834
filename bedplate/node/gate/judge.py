"""What a pair's collective says, by the validation's own rules; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES
from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import EFA, InstanceType, ultraservers_of
from bedplate.node.process import ToolRun

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclass(frozen=True)
class PairVerdict:
    """``outcome`` is one of three: what could not be run, or not be read, says nothing of either node."""

    outcome: str
    check_id: str
    told: str


def not_run(why: str) -> PairVerdict:
    """Where there is nothing to judge."""
    return PairVerdict(NOT_RUN, "", " ".join(why.split())[-300:])


def path_of(kind: InstanceType) -> str:
    """``efa`` for types whose instances share NVLink, which would hide EFA; else empty."""
    return EFA if ultraservers_of(kind.name) else ""


def judge_pair(
    run: ToolRun, *, names: Tuple[str, str], hosts: Tuple[str, str], kind: InstanceType
) -> PairVerdict:
    """Held to what is published for two nodes of the type at the largest size; where nothing is, to three
    fifths of what the wires carry, as whatever has nothing else to be compared with.
    """
    seen = judge_collective(
        log=f"{run.stdout}\n{run.stderr}",
        rc=None if run.truncated else run.rc,
        timed_out=run.timed_out,
        nodes=names,
        instance_type=kind,
        hosts=hosts,
        sizes=NAMED_SIZES[-1:],
        scope="pair",
        path=path_of(kind) or None,
    )
    return _verdict(seen)


def _verdict(seen: CollectiveJudgement) -> PairVerdict:
    speed, way = seen.bandwidth, seen.transport
    if seen.launch_failed:
        return PairVerdict(NOT_RUN, speed.check_id, seen.problem or "nothing was started")
    if seen.hung or (speed.outcome is Outcome.FAIL and way.outcome is not Outcome.FAIL):
        return PairVerdict(FAILED, speed.check_id, speed.summary)
    if way.outcome is Outcome.FAIL:
        return PairVerdict(FAILED, way.check_id, way.summary)
    if seen.busbw_gb_per_s is None or way.outcome not in (Outcome.PASS, Outcome.NOT_APPLICABLE):
        told = seen.problem or (speed if way.outcome is Outcome.PASS else way).summary
        return PairVerdict(NOT_RUN, speed.check_id, told)
    if speed.outcome is Outcome.PASS:
        return PairVerdict(PASSED, speed.check_id, speed.summary)
    least = seen.expected[-1].plausible_gb_per_s
    if least and seen.busbw_gb_per_s < least:
        told = f"{seen.busbw_gb_per_s:g} GB/s is less than {least:.0f}, three fifths of what the wires carry"
        return PairVerdict(FAILED, speed.check_id, told)
    if speed.outcome is Outcome.NOT_TESTED and least:
        return PairVerdict(
            PASSED, speed.check_id, f"{seen.busbw_gb_per_s:g} GB/s; no figure is published here"
        )
    return PairVerdict(NOT_RUN, speed.check_id, speed.summary)
