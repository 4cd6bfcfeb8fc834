"""Run collectives over groups of nodes, all groups at once, and judge each log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES, Reference
from bedplate.diagnosis.collective import CollectiveJudgement, judge_collective
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import EFA, InstanceType, ultraservers_of
from bedplate.node.run_jobs import Job
from bedplate.validation.fabric.observation import Ended, Observation
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.efa_traffic import efa_traffic
from bedplate.validation.steps.job_batches import job_rows
from bedplate.validation.steps.settle import settle


@dataclass(frozen=True)
class GroupTest:
    """One group's run: ``judgement`` is None where there is no log to judge, and ``problem`` says why.

    ``stopped`` says that it did not come to its own good end, so that its GPUs may not be free.
    """

    nodes: tuple[str, ...]
    judgement: CollectiveJudgement | None
    problem: str
    evidence: tuple[str, ...]
    stopped: bool


def run_groups(
    context: Context,
    *,
    name: str,
    groups: Sequence[Sequence[Node]],
    collective: str,
    scope: str,
    deadline_seconds: float,
    path: str | None = None,
    reference: Reference | None = None,
) -> list[GroupTest]:
    """One collective a group, all at once; ``name`` is the folder that the logs are kept in.

    ``path`` is what must carry it between nodes that share NVLink; left out, EFA must. ``reference`` is what
    smaller groups of the same nodes reached, where that is the measure.
    """
    asked = _Asked(collective, scope, path or efa_path(groups[0][0].hardware), reference)
    free = [not any(node.why_not_loaded for node in group) for group in groups]
    jobs = [
        _job(str(index), group, asked, deadline_seconds) for index, group in enumerate(groups) if free[index]
    ]
    if not jobs:
        return [_not_free(group) for group in groups]
    reply = context.run_jobs(jobs)
    if reply.answer is None:
        problem = f"the login node gave no answer: {reply.problem}"
        settle(context, [node for index, group in enumerate(groups) if free[index] for node in group])
        return [GroupTest(_ids(group), None, problem, (), stopped=True) for group in groups]
    told = {str(job.get("id")): job for job in job_rows(reply.answer)}
    tests = [
        _judge(context, f"{name}/{index:03}.log", group, told.get(str(index)), asked)
        if free[index]
        else _not_free(group)
        for index, group in enumerate(groups)
    ]
    stopped = [node for test, group in zip(tests, groups, strict=True) if test.stopped for node in group]
    if stopped:
        settle(context, stopped)
    return tests


def _not_free(group: Sequence[Node]) -> GroupTest:
    """A test that was not made: a node of it may not be loaded (any more)."""
    why = next(f"{node.node}: {node.why_not_loaded}" for node in group if node.why_not_loaded)
    return GroupTest(_ids(group), None, why, (), stopped=False)


def observation(test: GroupTest) -> Observation:
    """What the search between nodes learns from a test.

    A floor that is missing does not matter here: the search compares tests of one shape with each other.
    """
    group, seen = test.nodes, test.judgement
    if seen is None or seen.launch_failed:
        return Observation(
            group, Ended.UNKNOWN, detail=test.problem or "nothing was started", evidence=test.evidence
        )
    if seen.hung:
        return _broken(test, "collective-hang", "it ran past its deadline")
    if seen.transport.outcome is Outcome.FAIL:
        return _broken(test, seen.transport.cause, seen.transport.summary)
    if seen.bandwidth.outcome is Outcome.FAIL and seen.bandwidth.cause:
        return _broken(test, seen.bandwidth.cause, seen.bandwidth.summary)
    if seen.busbw_gb_per_s is None or seen.transport.outcome is Outcome.ERROR:
        detail = seen.problem or seen.transport.summary
        return Observation(group, Ended.UNKNOWN, detail=detail, evidence=test.evidence)
    return Observation(group, Ended.MEASURED, seen.busbw_gb_per_s, evidence=test.evidence)


def _broken(test: GroupTest, cause: str | None, detail: str) -> Observation:
    return Observation(test.nodes, Ended.BROKEN, cause=cause, detail=detail, evidence=test.evidence)


def efa_path(hardware: InstanceType) -> str | None:
    """``efa`` for types whose instances share NVLink: it must be switched off to see EFA at all."""
    return EFA if ultraservers_of(hardware.name) else None


@dataclass(frozen=True)
class _Asked:
    """What is run over each group, and what it is held to."""

    collective: str
    scope: str
    path: str | None
    reference: Reference | None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Pairs are compared at the largest size alone; a cluster has thousands of them."""
        return NAMED_SIZES[-1:] if self.scope == "pair" else NAMED_SIZES


def _job(job_id: str, group: Sequence[Node], asked: _Asked, deadline_seconds: float) -> Job:
    pool = group[0].pool
    return Job(
        job_id=job_id,
        kind="collective",
        nodes=tuple(node.slurm_name for node in group),
        deadline_seconds=deadline_seconds,
        gpus=group[0].hardware.gpus,
        collective=asked.collective,
        partition=pool.partitions[0] if pool.partitions else "",
        folder=next((node.nccl_tests for node in group if node.nccl_tests), ""),
        path=asked.path or "",
    )


def _judge(
    context: Context,
    name: str,
    group: Sequence[Node],
    job: Mapping[str, Any] | None,
    asked: _Asked,
) -> GroupTest:
    if job is None:
        return GroupTest(_ids(group), None, "the login node's answer has nothing about it", (), stopped=True)
    log = f"{job.get('stdout', '')}\n{job.get('stderr', '')}"
    evidence = (context.evidence.keep_text(name, log),)
    # A log that was cut says nothing whole, whatever the status; an answer that does not say so is cut.
    timed_out = job.get("timed_out")
    rc = job.get("rc") if job.get("truncated") is False and isinstance(timed_out, bool) else None
    judgement = judge_collective(
        log=log,
        rc=rc if isinstance(rc, int) else None,
        timed_out=timed_out is True,
        nodes=_ids(group),
        instance_type=group[0].hardware,
        hosts=tuple(node.hostname for node in group),
        collective=asked.collective,
        sizes=asked.sizes,
        scope=asked.scope,
        path=asked.path,
        accepted=context.record.accepted(group[0].pool, asked.collective, len(group), asked.path),
        reference=asked.reference,
        evidence=evidence,
    )
    traffic = efa_traffic(log, group)
    for measurement in judgement.measurements:
        context.record.measured(measurement, traffic)
    return GroupTest(
        _ids(group), judgement, judgement.problem, evidence, stopped=rc != 0 and not judgement.launch_failed
    )


def _ids(group: Sequence[Node]) -> tuple[str, ...]:
    return tuple(node.node for node in group)
