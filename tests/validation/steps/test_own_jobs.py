"""A run that goes on with another waits for the jobs of that one, and touches no other job."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.node.run_jobs import Job, job_name
from bedplate.node.scheduler import QUEUE, TOOLS
from bedplate.validation.steps import ask_scheduler
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.own_jobs import MARGIN_SECONDS, UNTOLD_SECONDS, own_jobs, seconds_until_gone
from tests.validation.steps.small_cluster import context_of

NONCE = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2
JOB = Job("exercise-7", "exercise", ("h200-0",), 60.0)


def _run(argv: tuple[str, ...], stdout: str, rc: int = 0) -> dict[str, Any]:
    run = {"argv": list(argv), "rc": rc, "timed_out": False, "seconds": 0.1}
    return {**run, "stdout": stdout, "stderr": ""}


class Slurm:
    """Two nodes, each with one job of a name that ends at a time; ``now`` is the transport's."""

    def __init__(self, *jobs: tuple[str, float], broken: bool = False) -> None:
        self.jobs, self.broken = jobs, broken
        self.queues_asked = 0
        self.context = context_of({"scheduler": self.answer}, nodes=2)

    @property
    def now(self) -> float:
        """Seconds that were waited."""
        return self.context.transport.clock()

    def answer(self, _instance: str, question: Any) -> dict[str, Any]:
        """What the login node says of both."""
        lines = [
            f"NodeName=h200-{at} NodeAddr=10.0.0.{at + 1} "
            f"State={'ALLOCATED' if end > self.now else 'IDLE'} AllocTRES={'cpu=1' if end > self.now else ''}"
            for at, (_, end) in enumerate(self.jobs)
        ]
        tools = [_run(TOOLS[0], "\n".join(lines) + "\n")]
        if "--queue" in question.options:
            self.queues_asked += 1
            left = [(name, end - self.now) for name, end in self.jobs if end > self.now]
            told = "".join(f"0:{int(seconds):02}|{name}\n" for name, seconds in left)
            tools.append(_run(QUEUE, told, rc=1 if self.broken else 0))
        return {"tools": tools}

    def asked(self, *nonces: str) -> Context:
        """The step, in a run that goes on with the commands of these nonces."""
        self.context.nonces_before = frozenset(nonces)
        ask_scheduler.ask_scheduler(self.context)
        return self.context


def _loaded(context: Context) -> list[bool]:
    return [node.why_not_loaded == "" for node in context.record.nodes]


def test_jobs_of_the_run_before_are_waited_for() -> None:
    """When they have ended by themselves their nodes are loaded, and the page says that they were there."""
    own = job_name(JOB, nonce=NONCE)
    slurm = Slurm((own, 40.0), (own, 20.0))
    context = slurm.asked(OTHER, NONCE)
    assert _loaded(context) == [True, True]
    assert 40 <= slurm.now < 60
    assert any("2 jobs of the run that was cut off" in note for note in context.record.notes)


@pytest.mark.parametrize("name", [job_name(JOB, nonce=OTHER), "bedplate-", "train", f"x bedplate-{NONCE}-1"])
def test_anothers_jobs_are_left_alone(name: str) -> None:
    """Another run's, and a user's of whatever name, are neither waited for nor loaded beside."""
    slurm = Slurm((name, 40.0), (name, 0.0))
    context = slurm.asked(NONCE)
    assert _loaded(context) == [False, True]
    assert slurm.now == 0
    assert "a job runs on it" in context.record.nodes[0].why_not_loaded
    assert context.record.notes == []


def test_a_users_job_beside_ones_own_is_not_waited_for() -> None:
    """The wait ends with the last job of one's own."""
    slurm = Slurm((job_name(JOB, nonce=NONCE), 20.0), ("train", 5000.0))
    assert _loaded(slurm.asked(NONCE)) == [True, False]
    assert slurm.now < 40


def test_a_run_that_goes_on_with_none_asks_for_no_queue() -> None:
    """Nothing of its own can be there."""
    slurm = Slurm(("train", 40.0), ("train", 0.0))
    assert _loaded(slurm.asked()) == [False, True]
    assert slurm.queues_asked == 0


def test_a_queue_that_cannot_be_read_leaves_all_jobs_alone() -> None:
    """Whose they are is not known, so nothing is waited for and nothing is loaded beside them."""
    slurm = Slurm((job_name(JOB, nonce=NONCE), 40.0), ("train", 0.0), broken=True)
    assert _loaded(slurm.asked(NONCE)) == [False, True]
    assert slurm.now == 0


def test_the_wait_has_an_end() -> None:
    """A job that stays past its own limit is left alone, as any other."""
    slurm = Slurm((job_name(JOB, nonce=NONCE), 1e9), ("x", 0.0))
    slurm.jobs = ((slurm.jobs[0][0], 1e9), ("x", 0.0))
    original = slurm.answer

    def answer(instance: str, question: Any) -> dict[str, Any]:
        body = original(instance, question)
        for tool in body["tools"][1:]:
            tool["stdout"] = f"UNLIMITED|{slurm.jobs[0][0]}\n"
        return body

    slurm.context.transport.answers["scheduler"] = answer  # type: ignore[attr-defined]
    assert _loaded(slurm.asked(NONCE)) == [False, True]
    assert slurm.now == pytest.approx(UNTOLD_SECONDS + MARGIN_SECONDS, abs=10)


def test_jobs_are_told_by_the_name_that_run_jobs_gives_them() -> None:
    """The mark is the beginning of ``job_name``; the time is that of the last."""
    body = {"tools": [_run(QUEUE, f"1:00|{job_name(JOB, nonce=NONCE)}\n0:30|{job_name(JOB, nonce=OTHER)}\n")]}
    found = own_jobs(body, [NONCE])
    assert found is not None
    assert [job.name for job in found] == [job_name(JOB, nonce=NONCE)]
    assert seconds_until_gone(found) == 60 + MARGIN_SECONDS
    assert own_jobs({"tools": []}, [NONCE]) is None
