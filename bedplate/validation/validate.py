"""A validation from its manifest to its result: each step looks, judges by ``bedplate.diagnosis``, and
writes down.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

import bedplate
from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import CLUSTER_CHECKS
from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.manifest import ClusterManifest
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.progress import NullProgress, Progress
from bedplate.validation.record import Node, Record, not_made
from bedplate.validation.reports.result_file import result_json
from bedplate.validation.result import RunResult
from bedplate.validation.run_lock import Resume, RunLock, take_hold
from bedplate.validation.steps.ask_scheduler import ask_scheduler
from bedplate.validation.steps.await_agents import await_agents
from bedplate.validation.steps.between_nodes import check_between_nodes
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.exercise_nodes import exercise_nodes
from bedplate.validation.steps.find_nodes import find_nodes
from bedplate.validation.steps.judge_versions import judge_versions
from bedplate.validation.steps.load_baseline import load_baseline
from bedplate.validation.steps.probe_nodes import probe_nodes
from bedplate.validation.steps.round_trip import round_trip
from bedplate.validation.stores.bucket import BucketStore
from bedplate.validation.transports.chosen import transport_to
from bedplate.validation.transports.sent_log import load_sent_log

STEPS: tuple[Callable[[Context], None], ...] = (
    load_baseline,
    find_nodes,
    await_agents,
    probe_nodes,
    round_trip,
    ask_scheduler,
    exercise_nodes,
    judge_versions,
    check_between_nodes,
)


@dataclass
class Validation:
    """One run, which holds its environment (where there is a ``lock``) until ``run`` has ended. ``result``
    may be asked for at any time; it is complete only after ``run`` has come to its end.
    """

    context: Context
    lock: RunLock | None = None
    complete: bool = False

    @property
    def run_id(self) -> str:
        """The run's name: its folder in the bucket."""
        return self.context.evidence.run_id

    def run(self) -> RunResult:
        """Run all steps and keep the result in the bucket.

        Raises ``AwsRefused`` where AWS refuses or is away, RUN-003 where another run has taken over. However
        it ends, the hold is given back; what was cut off can be taken up by the next run.
        """
        if self.lock is None:
            return self._run()
        self.lock.keep_alive()
        try:
            return self._run()
        finally:
            self.lock.release(complete=self.complete)

    def _run(self) -> RunResult:
        for step in STEPS:
            self._check_hold()
            step(self.context)
        self._check_hold()
        _leave_nothing_unsaid(self.context.record)
        result = self.context.record.result(complete=True)
        evidence = self.context.evidence
        with aws_errors("keeping the result in the bucket"):
            evidence.clients.s3.put_object(
                Bucket=evidence.bucket,
                Key=f"runs/{evidence.run_id}/result.json",
                Body=result_json(result).encode("utf-8"),
            )
        self.complete = True
        return result

    def _check_hold(self) -> None:
        if self.lock is not None:
            self.lock.check()

    def result(self) -> RunResult:
        """What is known now."""
        return self.context.record.result(complete=self.complete)


def new_validation(
    *,
    clients: AwsClients,
    manifest: ClusterManifest,
    waivers: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
    resume: Resume = Resume.AUTO,
    notes: Sequence[str] = (),
) -> Validation:
    """A validation of a deployed environment, which is held from now on; with ``folder`` the evidence is kept
    there too.

    ``waivers`` (check id → reason) are those of the environment file that the operator names; they stand in
    for the manifest's, which are as old as the deploy, and the result says where the two differ. ``notes``
    are sentences for the page. Raises ``ChecksFailed`` RUN-001 where another run is under way.
    """
    wanted = manifest.validation
    store = BucketStore(clients, wanted.result_bucket)
    lock = take_hold(store=store, new_run_id=_new_run_id, fingerprint=_fingerprint(manifest), resume=resume)
    run_id = lock.claim.run_id
    told = list(notes)
    if lock.resumed:
        told.append(f"This run goes on with one that was cut off; it began at {lock.claim.begun_at}.")
    if waivers is not None:
        told += waiver_notes(file=waivers, deployed=wanted.waivers)
        given = manifest.validation.model_copy(update={"waivers": dict(waivers)})
        manifest = manifest.model_copy(update={"validation": given})
    evidence = EvidenceStore(clients, wanted.result_bucket, run_id, folder)
    record = Record(manifest, simulated=clients.simulated, evidence_location=evidence.location, notes=told)
    try:
        sent_log = load_sent_log(store=store, run_id=run_id, resumed=lock.resumed)
        transport = transport_to(clients=clients, manifest=manifest, run_id=run_id, sent_log=sent_log)
    except BaseException:
        lock.release(complete=False)
        raise
    context = Context(record, clients, transport, evidence, progress or NullProgress())
    context.nonces_before = frozenset(sent.nonce for sent in sent_log.before)
    return Validation(context, lock)


def _new_run_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{token_hex(4)}"


def _fingerprint(manifest: ClusterManifest) -> str:
    """Of the deployment and of this program: a run is taken up on the same ones only."""
    text = f"{bedplate.__version__}\n{manifest.model_dump_json()}"
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def waiver_notes(*, file: Mapping[str, str], deployed: Mapping[str, str]) -> list[str]:
    """One sentence for each waiver in which the environment file and the deployed manifest differ."""
    notes = []
    for check in sorted({*file, *deployed}):
        if check not in deployed:
            notes.append(f"{check} is waived by the environment file, and was not when it was deployed.")
        elif check not in file:
            notes.append(f"{check} was waived when it was deployed; by the environment file it counts.")
        elif file[check] != deployed[check]:
            notes.append(f"{check} is waived for another reason than when it was deployed: {deployed[check]}")
    return notes


def _leave_nothing_unsaid(record: Record) -> None:
    """Every required check says something about everything that it owes; what nobody made is not-tested."""
    for check in sorted(record.required):
        if check in CLUSTER_CHECKS:
            if not record.has_verdict(check, CLUSTER):
                record.add([not_made(check_id=check, outcome=Outcome.NOT_TESTED, why="it was not made")])
            continue
        for node in record.nodes:
            if record.has_verdict(check, Subject("node", (node.node,))):
                continue
            record.add([_unsaid(record, check, node)])


def _unsaid(record: Record, check: str, node: Node) -> Verdict:
    """What to say of a check that no step spoke of: the type has no such part, or it was not made."""
    expected, found = record.expected_of(node.pool), len(record.nodes)
    outcome, why = Outcome.NOT_TESTED, "it was not made"
    if check not in required_checks(node.hardware, nodes=max(found, 2), expected=expected):
        outcome, why = Outcome.NOT_APPLICABLE, f"{node.hardware.name} has no such part"
    elif check not in required_checks(node.hardware, nodes=found, expected=expected):
        why = "it could not be tested with one node: it needs two"
    return not_made(check_id=check, outcome=outcome, why=why, node=node.node)
