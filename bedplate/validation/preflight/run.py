"""Ask all questions before a deploy, and put the answers into one result."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import ModuleType

import boto3

import bedplate
from bedplate.capacity.locked import reservation_of, times_of
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.errors import AwsRefused
from bedplate.validation.preflight import CHECKS, identity
from bedplate.validation.preflight.context import Preflight, Writer
from bedplate.validation.preflight.usage import VcpusUnknownError
from bedplate.validation.progress import NullProgress, Progress
from bedplate.validation.record import now
from bedplate.validation.result import BlockResult, RunResult, Waiver

_OUT_OF_REACH = "AWS-001"
_NO_CREDENTIALS = "AWS-002"


def run_preflight(preflight: Preflight, *, progress: Progress | None = None) -> RunResult:
    """Every check that applies to the environment. Raises ``AwsRefused`` where AWS is out of reach (AWS-001)
    or does not know the caller (AWS-002), as every command does that asks AWS.
    """
    told = progress or NullProgress()
    started_at, verdicts = now(), list[Verdict]()
    asked = [module for module in CHECKS if module.applies(preflight.environment)]
    told.phase("Ask AWS", len(asked))
    for module in asked:
        if any(one.check_id == identity.ROW.id and one.outcome is not Outcome.PASS for one in verdicts):
            # In the wrong account every other answer would mislead.
            verdicts.append(Writer(module.ROW.id).not_asked(f"{identity.ROW.id} has to pass first"))
        else:
            verdicts += _ask(module, preflight)
        told.advance(f"{module.ROW.id} {module.ROW.title}")
    wanted = preflight.environment
    return RunResult(
        blocks=_blocks(preflight),
        kind="preflight",
        environment=wanted.name,
        account=wanted.account,
        region=wanted.region,
        simulated=preflight.clients.simulated,
        started_at=started_at,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        complete=True,
        required_checks=sorted(module.ROW.id for module in asked),
        nodes=[],
        verdicts=verdicts,
        bandwidths=[],
        rounds=[],
        waivers=[
            Waiver(check_id=waiver.check, reason=waiver.reason)
            for waiver in wanted.validation.waivers
            if waiver.check.startswith("PRE-")
        ],
        versions={
            "bedplate": bedplate.__version__,
            "boto3": boto3.__version__,
            "python": ".".join(map(str, sys.version_info[:3])),
        },
    )


def _blocks(preflight: Preflight) -> list[BlockResult]:
    """The times of the pools' blocks, as far as the lock file has them."""
    blocks, lock = [], preflight.lock
    for pool in preflight.environment.pools:
        reservation = reservation_of(pool)
        if lock is None or reservation is None or reservation not in lock.reservations:
            continue
        times = times_of(pool=pool, lock=lock)
        if times is not None:
            blocks.append(
                BlockResult(
                    pool=pool.name,
                    reservation_id=reservation,
                    start_time=times.start.isoformat(),
                    warning_time=times.warning.isoformat(),
                    taken_time=times.taken.isoformat(),
                    end_time=times.end.isoformat(),
                )
            )
    return blocks


def _ask(module: ModuleType, preflight: Preflight) -> list[Verdict]:
    """One check's verdicts; what AWS does not let us ask is an error, and no answer at all is one too."""
    writer = Writer(module.ROW.id)
    try:
        verdicts: list[Verdict] = module.check(preflight)
    except AwsRefused as error:
        # A Region that is not enabled refuses good credentials too: only STS tells that there are none.
        unknown_caller = module is identity and error.error_id == _NO_CREDENTIALS
        if unknown_caller or error.error_id == _OUT_OF_REACH:
            raise
        return [writer.not_made(error.message, remedy=error.remedy)]
    except VcpusUnknownError as error:
        return [writer.not_made(str(error))]
    return verdicts or [writer.not_made("the check gave no answer")]
