"""Step 5: load on each node by itself: DCGM's diagnostics and NCCL inside the node, placed by the
scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import EXERCISE_CHECKS, nccl_in_node
from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import judge_exercise, judge_unanswered
from bedplate.diagnosis.parsers.launch_failures import LAUNCH, find_failure
from bedplate.diagnosis.storage_speed import read_storage_speeds
from bedplate.diagnosis.storage_tools import SCRATCH
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.node.envelope import EnvelopeError, open_envelope
from bedplate.node.exercise import stage_deadline_seconds
from bedplate.node.run_jobs import Job
from bedplate.node.stages.settings import ExerciseSettings
from bedplate.validation.record import Node, not_made
from bedplate.validation.steps.compare_in_node import compare_in_node
from bedplate.validation.steps.compare_storage import STORAGE_CHECKS, compare_storage
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.job_batches import job_rows
from bedplate.validation.steps.settle import settle

ASKED = (
    *(check.id for check in EXERCISE_CHECKS),
    nccl_in_node.CHECK.id,
    *(check.id for check in STORAGE_CHECKS),
)
COLLECTIVE = "all_reduce"
_MARGIN_SECONDS = 60.0


def exercise_nodes(context: Context) -> None:
    """One srun a node, all at once, each with its own deadline: a node that hangs holds up none of the
    others.
    """
    loaded = []
    for node in context.record.nodes:
        why = node.why_not_loaded or _not_worth_it(context, node)
        if why:
            _not_exercised(context, node, why)
        else:
            loaded.append(node)
    if not loaded:
        return
    context.progress.phase("Exercise nodes", len(loaded))
    reply = context.run_jobs([_job(context, node) for node in loaded])
    if reply.answer is None:
        settle(context, loaded)
        for node in loaded:
            _error(context, node, f"the login node gave no answer: {reply.problem}")
        return
    jobs = {str(job.get("id")): job for job in job_rows(reply.answer)}
    stopped = [node for node in loaded if not _left_its_node_free(jobs.get(node.node))]
    if stopped:
        settle(context, stopped)
    for node in loaded:
        _judge(context, node, jobs.get(node.node))
        context.progress.advance(node.node)
    compare_in_node(context)
    compare_storage(context)


def exercise_settings(context: Context, node: Node) -> ExerciseSettings:
    """What the node is to do under load."""
    expected = context.record.expected_of(node.pool)
    return ExerciseSettings(
        stages=tuple(_stages(node, expected)),
        gpus=node.hardware.gpus,
        gpu_model=node.hardware.gpu.model,
        dcgm_level=expected.dcgm_level,
        collective=COLLECTIVE,
        efa_count=node.hardware.efa_count,
        scratch=SCRATCH,
        mounts=tuple((mount.kind, mount.path) for mount in _measured_mounts(expected)),
        run_id=context.evidence.run_id,
        nodes=len(context.record.nodes),
    )


def _stages(node: Node, expected: NodeExpectation) -> Iterator[str]:
    hardware = node.hardware
    yield "dcgm"
    if expected.throughput:
        yield "throughput"
    if hardware.needs_imex:
        yield "imex"
    if hardware.gpus > 1:
        yield "collective"
        yield "nvlink_errors"
    if hardware.has_gpudirect_rdma:
        yield "gdrcopy"
    if expected.throughput and hardware.efa_count:
        yield "efa_loopback"
    if expected.throughput and expected.local_nvme == "raid0" and hardware.nvme_count:
        yield "nvme"
    if expected.throughput and any(mount.kind == "lustre" for mount in _measured_mounts(expected)):
        yield "lustre"


def _measured_mounts(expected: NodeExpectation) -> list[ExpectedMount]:
    """Those on which something may be written."""
    return [mount for mount in expected.mounts if not mount.exports_its_root]


def _job(context: Context, node: Node) -> Job:
    settings = exercise_settings(context, node)
    return Job(
        job_id=node.node,
        kind="exercise",
        nodes=(node.slurm_name,),
        deadline_seconds=stage_deadline_seconds(settings) + _MARGIN_SECONDS,
        gpus=node.hardware.gpus,
        exercise=settings,
        partition=node.pool.partitions[0] if node.pool.partitions else "",
    )


def _judge(context: Context, node: Node, job: Mapping[str, Any] | None) -> None:
    if job is None:
        _error(context, node, "the login node's answer has nothing about it")
        return
    printed, nonce = str(job.get("stdout", "")), str(job.get("nonce", ""))
    try:
        answer = open_envelope(printed, instance_id=node.node, nonce=nonce, command="exercise")
    except EnvelopeError as error:
        log = context.evidence.keep_text(f"nodes/{node.node}/exercise.log", _log(job))
        _error(context, node, f"its exercise gave no usable answer: {error}; {_last_line(job)} (see {log})")
        return
    name = context.evidence.keep_json(f"nodes/{node.node}/exercise.json", answer.body)
    if node.boot_id and answer.body.get("boot_id") != node.boot_id:
        _error(context, node, "it was booted anew between its probe and its exercise: run again with --fresh")
        return
    judgement = judge_exercise(
        NodeFacts(
            node=node.node,
            answer=answer.body,
            instance_type=node.hardware,
            expected=context.record.expected_of(node.pool),
            evidence=(name,),
        ),
        collective=COLLECTIVE,
        accepted=context.record.accepted(node.pool, COLLECTIVE, 1, None),
    )
    node.nccl_versions = dict(judgement.versions)
    node.storage = read_storage_speeds(answer=answer.body, scratch=SCRATCH, run_id=context.evidence.run_id)
    context.record.add(_explained(context, node, verdict) for verdict in judgement.verdicts)
    for measurement in judgement.measurements:
        context.record.measured(measurement)


def _explained(context: Context, node: Node, verdict: Verdict) -> Verdict:
    """Links that are down make the node slow inside: that is one fault, seen by two checks."""
    slow = verdict.check_id == "NCL-001" and verdict.cause == "nvlink-slow"
    if not slow or "NVL-001" not in context.record.failed_checks(node.node):
        return verdict
    return replace(verdict, cause="nvlink-down", summary=f"{verdict.summary}; links are down (NVL-001)")


def _left_its_node_free(job: Mapping[str, Any] | None) -> bool:
    """Whether it came to its own good end, or was refused, so that nothing of it can be on the GPUs. Of a job
    that the answer does not tell of, nothing is known.
    """
    if job is None or job.get("problem"):
        return False
    rc = job.get("rc")
    if not isinstance(rc, int) or isinstance(rc, bool):
        return False
    return rc == 0 or _was_refused(job)


def _was_refused(job: Mapping[str, Any]) -> bool:
    """Whether the launcher placed nothing: it says so, and the exercise printed nothing."""
    lines = str(job.get("stderr", "")).splitlines()
    failures = [found for number, line in enumerate(lines, 1) if (found := find_failure(number, line))]
    printed = str(job.get("stdout", "")).strip()
    return not printed and bool(failures) and all(found.kind == LAUNCH for found in failures)


def _asked(context: Context, node: Node) -> list[str]:
    expected = context.record.expected_of(node.pool)
    required = required_checks(node.hardware, nodes=len(context.record.nodes), expected=expected)
    return [check for check in ASKED if check in required]


def _not_worth_it(context: Context, node: Node) -> str:
    """A node that lacks GPUs cannot be given all of them."""
    return "GPUs are missing (GPU-001)" if "GPU-001" in context.record.failed_checks(node.node) else ""


def _not_exercised(context: Context, node: Node, why: str) -> None:
    """Not answering, or not being asked because the scheduler is silent, is an error; being busy is
    not-tested.
    """
    unanswered = not node.answered or not context.login
    outcome = Outcome.ERROR if unanswered else Outcome.NOT_TESTED
    context.record.add(
        not_made(check_id=check, outcome=outcome, why=why, node=node.node) for check in _asked(context, node)
    )


def _error(context: Context, node: Node, reason: str) -> None:
    context.record.add(judge_unanswered(node=node.node, check_ids=_asked(context, node), reason=reason))
    context.progress.note(f"{node.node}: {reason}")


def _log(job: Mapping[str, Any]) -> str:
    return f"{job.get('stdout', '')}\n{job.get('stderr', '')}"


def _last_line(job: Mapping[str, Any]) -> str:
    lines = [line.strip() for line in str(job.get("stderr", "")).splitlines() if line.strip()]
    return lines[-1][:200] if lines else "srun said nothing"
