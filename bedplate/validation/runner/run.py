"""The entry point of the runner in the account: what a deploy or a schedule starts.

It is ``bedplate runner`` on the command line, in CodeBuild and in the local stand-in alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bedplate.errors import BedplateError, ChecksFailed
from bedplate.manifest import ClusterManifest
from bedplate.validation.actions.after_run import act_after_run, policy_of
from bedplate.validation.aws import AwsClients
from bedplate.validation.deployed import read_manifest
from bedplate.validation.progress import Progress
from bedplate.validation.remote_write.run_metrics import leave_metrics
from bedplate.validation.reports.html import render_html
from bedplate.validation.reports.junit import render_junit
from bedplate.validation.result import RunResult
from bedplate.validation.run_lock import Claim, Resume, last_run
from bedplate.validation.runner.metrics import put_metrics
from bedplate.validation.runner.notice import notice_of, notice_of_failure, publish
from bedplate.validation.runner.settled import SIMULATED, Patience, wait_until_settled
from bedplate.validation.stores.bucket import BucketStore
from bedplate.validation.validate import Validation, new_validation

STARTED_BY = {
    "deploy": "Started by the runner in the account, after a deploy.",
    "schedule": "Started by the runner in the account, on its schedule.",
    "hand": "Started by hand, as the runner in the account does it.",
}
"""What started the run → what its page says."""
_TURN_SECONDS = 8 * 3600.0
_TURN_PAUSE_SECONDS = 20.0


@dataclass(frozen=True)
class Order:
    """What the runner is asked to do: the environment, the names of its stacks, and what started it."""

    environment: str
    stacks: Sequence[str] = ()
    started_by: str = "hand"


def run_in_account(
    *,
    clients: AwsClients,
    order: Order,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> RunResult | None:
    """Validate, do what the environment's ``on_failure`` says, and tell: reports to the bucket, metrics, and
    the alarm topic on anything but a pass.

    None where another run that began after this call, and after the deploy, has covered it. Where there can
    be no result the topic is told why, as far as a topic is known, and the error is raised.
    """
    manifest: ClusterManifest | None = None
    begun = datetime.now(UTC)
    try:
        notes = [STARTED_BY[order.started_by]]
        if order.stacks:
            progress.phase("Wait until the deploy has come to rest")
            patience, asked = SIMULATED if clients.simulated else Patience(), clock()
            notes += wait_until_settled(
                clients=clients, stacks=order.stacks, patience=patience, sleep=sleep, clock=clock
            )
            # A run that began while stacks still changed has not seen what they changed to.
            begun += timedelta(seconds=max(0.0, clock() - asked - patience.quiet_seconds))
        manifest = read_manifest(clients=clients, environment=order.environment)
        # What was measured before a deploy is not taken up after it.
        resume = Resume.FRESH if order.started_by == "deploy" else Resume.AUTO
        validation = _in_turn(clients, manifest, begun, resume, notes, progress, sleep, clock)
        if validation is None:
            progress.note("a run that began after this one was started has covered it")
            return None
        result = act_after_run(
            clients=clients,
            manifest=manifest,
            run_id=validation.run_id,
            result=validation.run(),
            policy=policy_of(manifest),
            carry_out=True,
            progress=progress,
        )
        told = leave_metrics(clients=clients, manifest=manifest, result=result)
        if told:
            progress.note(f"no metrics were written: {told}")
        deliver_in_account(clients=clients, manifest=manifest, run_id=validation.run_id, result=result)
    except BaseException as error:
        _tell_failure(clients, manifest, order, error)
        raise
    return result


def deliver_in_account(
    *, clients: AwsClients, manifest: ClusterManifest, run_id: str, result: RunResult
) -> None:
    """Keep the reports, put the metrics, tell the topic; a failure of one does not keep back the others."""
    store = BucketStore(clients, manifest.validation.result_bucket)
    address = f"s3://{store.bucket}/runs/{run_id}/"
    notice = notice_of(result=result, address=address)
    topic = manifest.observability.alarm_topic_arn if manifest.observability else ""

    def tell() -> None:
        if notice is not None and topic:
            publish(clients=clients, topic_arn=topic, notice=notice)

    def keep() -> None:
        store.write(f"runs/{run_id}/report.html", render_html(result).encode("utf-8"))
        store.write(f"runs/{run_id}/junit.xml", render_junit(result).encode("utf-8"))

    failures: list[BedplateError] = []
    for part in (tell, keep, lambda: put_metrics(clients=clients, result=result)):
        try:
            part()
        except BedplateError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _in_turn(
    clients: AwsClients,
    manifest: ClusterManifest,
    begun: datetime,
    resume: Resume,
    notes: list[str],
    progress: Progress,
    sleep: Callable[[float], None],
    clock: Callable[[], float],
) -> Validation | None:
    """The validation once no other run is under way; None where one that came later than us is complete."""
    store = BucketStore(clients, manifest.validation.result_bucket)
    give_up = clock() + _TURN_SECONDS
    while True:
        if _covers(last_run(store), begun):
            return None
        try:
            return new_validation(
                clients=clients, manifest=manifest, progress=progress, resume=resume, notes=notes
            )
        except ChecksFailed as error:
            if error.error_id != "RUN-001" or clock() >= give_up:
                raise
            progress.note(f"waiting for another run: {error.message}")
        sleep(_TURN_PAUSE_SECONDS)


def _covers(last: Claim | None, begun: datetime) -> bool:
    return last is not None and last.complete and datetime.fromisoformat(last.begun_at) > begun


def _tell_failure(
    clients: AwsClients, manifest: ClusterManifest | None, order: Order, error: BaseException
) -> None:
    if manifest is None or manifest.observability is None:
        return
    notice = notice_of_failure(environment=order.environment, error=error)
    try:
        publish(clients=clients, topic_arn=manifest.observability.alarm_topic_arn, notice=notice)
    except BedplateError:
        # What went wrong first is what is raised; the build's own failure is told by EventBridge.
        return
