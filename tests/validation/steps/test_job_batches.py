"""Jobs in as few commands as can carry them, and one answer of several."""

from __future__ import annotations

import pytest

from bedplate.node.envelope import Answer
from bedplate.node.run_jobs import MOST_JOBS_AT_ONCE, Job, decode_jobs, encode_jobs
from bedplate.validation.steps.job_batches import job_batches, merged
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm_limits import ARGUMENT_CHARACTERS


def jobs(count: int) -> list[Job]:
    """So many jobs of one node each."""
    return [
        Job(f"i-{number * 7919:017x}", "collective", (f"h200-{number}",), 60.0) for number in range(count)
    ]


def answered(batch: list[Job], nonce: str, *, simulated: bool = False) -> Reply:
    """A whole answer of the login node."""
    body = {"hostname": "login", "jobs": [{"id": job.job_id, "stdout": job.job_id} for job in batch]}
    return Reply("i-login", answer=Answer("i-login", nonce, "run-jobs", simulated, body), location="s3://x")


def test_what_one_command_carries_is_not_cut() -> None:
    """A fleet of hundreds is one command."""
    assert [len(batch) for batch in job_batches(jobs(500), characters=ARGUMENT_CHARACTERS)] == [500]


@pytest.mark.parametrize(("count", "characters"), [(300, 2_000), (4096, ARGUMENT_CHARACTERS)])
def test_batches_hold_every_job_once_and_stay_within_the_limits(count: int, characters: int) -> None:
    """Order stays, and each batch can be carried and started at once."""
    batches = job_batches(jobs(count), characters=characters)
    assert [job for batch in batches for job in batch] == jobs(count)
    for batch in batches:
        assert len(encode_jobs(batch)) <= characters
        assert len(batch) <= MOST_JOBS_AT_ONCE
        assert len(decode_jobs(encode_jobs(batch))) == len(batch)


def test_a_single_job_is_never_cut() -> None:
    """One over all nodes of a large fleet is what it is."""
    whole = [Job("0", "collective", tuple(f"node-{number * 7919}" for number in range(4096)), 60.0)]
    assert job_batches(whole, characters=10) == [whole]


def test_each_row_says_the_nonce_of_its_own_answer() -> None:
    """An exercise's envelope is held to the question that it was sent with."""
    first, second = jobs(4)[:2], jobs(4)[2:]
    reply = merged([(first, answered(first, "nonce-1111")), (second, answered(second, "nonce-2222"))])
    assert reply.answer is not None
    rows = reply.answer.body["jobs"]
    assert [row["id"] for row in rows] == [job.job_id for job in jobs(4)]
    assert [row["nonce"] for row in rows] == ["nonce-1111"] * 2 + ["nonce-2222"] * 2
    assert reply.answer.body["hostname"] == "login"


def test_one_simulated_answer_makes_the_whole_simulated() -> None:
    """Wherever it came in."""
    first, second = jobs(2)[:1], jobs(2)[1:]
    reply = merged([(first, answered(first, "n1")), (second, answered(second, "n2", simulated=True))])
    assert reply.answer is not None
    assert reply.answer.simulated


def test_a_batch_without_an_answer_has_rows_that_prove_nothing() -> None:
    """They say why, have no status and no output, and count as cut."""
    first, second = jobs(2)[:1], jobs(2)[1:]
    reply = merged(
        [(first, Reply("i-login", problem="no answer within 9 s")), (second, answered(second, "n"))]
    )
    assert reply.answer is not None
    row = reply.answer.body["jobs"][0]
    assert (row["id"], row["rc"], row["stdout"], row["truncated"]) == (first[0].job_id, None, "", True)
    assert "no answer within 9 s" in row["stderr"]


def test_no_answer_at_all_is_none() -> None:
    """The first batch's reply says why."""
    reply = merged([([job], Reply("i-login", problem=f"gone {job.job_id}")) for job in jobs(2)])
    assert reply.answer is None
    assert reply.problem.startswith("gone")
