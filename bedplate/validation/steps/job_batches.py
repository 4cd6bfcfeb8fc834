"""Many jobs as few commands: what one command can carry, and their answers as one.

A command is one argument of a program, and SSM's parameters have their limits too; a login node starts only
so many ``srun`` at once, and what waits for its turn would overrun the deadline of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bedplate.node.envelope import Answer
from bedplate.node.run_jobs import MOST_JOBS_AT_ONCE, Job, encode_jobs
from bedplate.validation.transports.reply import Reply


def job_batches(jobs: Sequence[Job], *, characters: int) -> list[list[Job]]:
    """The jobs in order, cut into batches that a command of so many characters can carry.

    A single job is never cut: one that is longer by itself is for AWS to refuse.
    """
    whole = list(jobs)
    if len(whole) <= 1 or (len(whole) <= MOST_JOBS_AT_ONCE and len(encode_jobs(whole)) <= characters):
        return [whole]
    middle = len(whole) // 2
    return [
        *job_batches(whole[:middle], characters=characters),
        *job_batches(whole[middle:], characters=characters),
    ]


def job_rows(answer: Answer) -> list[dict[str, Any]]:
    """What an answer tells of its jobs; what is no row of one is left out."""
    told = answer.body.get("jobs")
    return [row for row in told if isinstance(row, dict)] if isinstance(told, list) else []


def merged(answered: Iterable[tuple[Sequence[Job], Reply]]) -> Reply:
    """One reply of several: each job's row says the ``nonce`` of its own answer.

    A batch without an answer has rows too, which say why and hold nothing that could be judged. Where no
    batch has one, there is no answer.
    """
    pairs = list(answered)
    first = next((reply for _, reply in pairs if reply.answer is not None), None)
    if first is None or first.answer is None:
        return pairs[0][1]
    rows: list[dict[str, Any]] = []
    for jobs, reply in pairs:
        if reply.answer is None:
            rows += [_unanswered(job, reply.problem) for job in jobs]
        else:
            rows += [{**row, "nonce": reply.answer.nonce} for row in job_rows(reply.answer)]
    answer = first.answer
    simulated = any(reply.answer.simulated for _, reply in pairs if reply.answer is not None)
    body = {**answer.body, "jobs": rows}
    return Reply(
        first.instance_id,
        answer=Answer(answer.instance_id, answer.nonce, answer.command, simulated, body),
        location=first.location,
        taken_up=any(reply.taken_up for _, reply in pairs),
    )


def _unanswered(job: Job, problem: str) -> dict[str, Any]:
    return {
        "id": job.job_id,
        "kind": job.kind,
        "nodes": list(job.nodes),
        "rc": None,
        "timed_out": False,
        "truncated": True,
        "stdout": "",
        "stderr": f"the login node gave no answer: {problem}",
        "problem": problem,
        "nonce": "",
    }
