"""Asking through Slurm: who is asked, how its job is started, and what is told of those that are not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bedplate.node.envelope import Answer
from bedplate.node.run_jobs import Job, decode_jobs, encode_jobs
from bedplate.validation.transports.known_nodes import KnownNode
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.slurm import SlurmLimits, SlurmTransport
from tests.validation.transports.fake_slurm import HEAD, FakeSlurm
from tests.validation.transports.test_ssm_transport import node

QUICK = Question("probe", deadline_seconds=5)
SHORT = SlurmLimits(launch=0.5, settle=1.0, settle_pause=0.1)


def _asked(folder: Path, behave: dict[int, str], states: dict[int, str] | None = None) -> FakeSlurm:
    by_id = {node(number): how for number, how in behave.items()}
    return FakeSlurm(folder, by_id, {node(number): state for number, state in (states or {}).items()})


def _transport(slurm: FakeSlurm, numbers: Sequence[int], limits: SlurmLimits = SHORT) -> SlurmTransport:
    transport = SlurmTransport(slurm.head, HEAD, "25.05", limits=limits)
    transport.know_nodes(FakeSlurm.known([node(number) for number in numbers]))
    return transport


def test_each_node_is_asked_by_a_job_of_its_own_that_has_all_of_its_gpus(tmp_path: Path) -> None:
    """Named, for that node alone, refused where it is not idle, and with an end of its own in Slurm."""
    slurm = _asked(tmp_path, {1: "well", 2: "well"})
    replies = _transport(slurm, (1, 2)).ask(
        instance_ids=[node(1), node(2)], question=Question("probe", ("--x", "a b; c"), 5)
    )
    nonces = {reply.answer.nonce for reply in replies.values() if reply.answer is not None}
    assert len(nonces) == 1
    jobs = {job["options"]["nodelist"]: job for job in slurm.started()}
    assert sorted(jobs) == ["gpu-1", "gpu-2"]
    one = jobs["gpu-1"]
    assert one["options"]["job-name"].startswith(f"bedplate-{next(iter(nonces))[:16]}-")
    assert one["options"]["gpus-per-node"] == "8"
    assert one["options"]["immediate"] == "30"
    assert one["options"]["time"] == "2"
    assert "--exclusive" in one["words"]
    assert one["words"][-5:] == ["probe", "--nonce", *nonces, "--x", "a b; c"]
    assert (one["partition"], one["qos"]) == ("gpu", "")


@pytest.mark.parametrize(
    ("state", "told", "unreachable"),
    [
        ("DOWN* Reason=Not responding [slurm@now]", "DOWN+NOT_RESPONDING, reason: Not responding", True),
        ("IDLE+POWERED_DOWN", "IDLE+POWERED_DOWN", True),
        ("IDLE+DRAIN Reason=gres/gpu count too low", "IDLE+DRAIN, reason: gres/gpu count too low", False),
        ("ALLOCATED AllocTRES=cpu=192", "ALLOCATED (a job runs on it)", False),
        ("MIXED AllocTRES=cpu=1", "MIXED (a job runs on it)", False),
        ("RESERVED", "RESERVED", False),
        ("IDLE+MAINTENANCE", "IDLE+MAINTENANCE", False),
        ("DOWN+DRAIN+COMPLETING", "DOWN+DRAIN+COMPLETING", True),
    ],
)
def test_a_node_that_is_not_idle_is_never_asked_and_its_state_is_told(
    tmp_path: Path, state: str, told: str, unreachable: bool
) -> None:
    """Only one that no job could reach is unreachable, which is a fault: a job on a node is none."""
    slurm = _asked(tmp_path, {1: "well", 2: "well"}, {1: state})
    transport = _transport(slurm, (1, 2))
    assert transport.online([node(1), node(2)]) == {node(2)}
    replies = transport.ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert told in replies[node(1)].problem
    assert replies[node(1)].unreachable is unreachable
    assert replies[node(2)].answer is not None
    assert [job["options"]["nodelist"] for job in slurm.started()] == ["gpu-2"]


def test_a_node_that_slurm_or_the_transport_does_not_know_is_unreachable(tmp_path: Path) -> None:
    """By its address, and by what it was told of the nodes."""
    transport = _transport(_asked(tmp_path, {1: "well"}), (2,))
    replies = transport.ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert "no node with an address that we know" in replies[node(1)].problem
    assert "no node with the address 10.0.1.2" in replies[node(2)].problem
    assert all(reply.unreachable for reply in replies.values())


def test_a_node_whose_job_is_just_ending_is_waited_for_and_the_others_are_not_held_up(
    tmp_path: Path,
) -> None:
    """Counters are read right after a collective: its nodes are idle in a moment."""
    slurm = _asked(tmp_path, {1: "well", 2: "well"}, {1: "IDLE+COMPLETING"})
    order: list[str] = []

    def heard(reply: Reply) -> None:
        order.append(reply.instance_id)
        slurm.tell({node(1): "IDLE", node(2): "IDLE"})

    replies = _transport(slurm, (1, 2), SlurmLimits(launch=0.5, settle_pause=0.1)).ask(
        instance_ids=[node(1), node(2)], question=QUICK, on_reply=heard
    )
    assert all(reply.answer is not None for reply in replies.values())
    assert order == [node(2), node(1)]


def test_a_job_that_does_not_end_is_waited_for_no_longer_than_it_may_take(tmp_path: Path) -> None:
    """Its node is told of as it is then."""
    transport = _transport(_asked(tmp_path, {1: "well"}, {1: "IDLE+COMPLETING"}), (1,))
    reply = transport.ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert "IDLE+COMPLETING" in reply.problem


def test_what_srun_refuses_is_told_and_is_no_fault_of_the_node(tmp_path: Path) -> None:
    """A job may have come first."""
    transport = _transport(_asked(tmp_path, {1: "refused"}), (1,))
    reply = transport.ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert "Slurm did not start it there" in reply.problem
    assert "Requested nodes are busy" in reply.problem
    assert not reply.unreachable


def test_a_job_that_overruns_is_ended_by_its_name(tmp_path: Path) -> None:
    """In Slurm too, where srun had no time to do it."""
    slurm = _asked(tmp_path, {1: "never"})
    question = Question("probe", deadline_seconds=1)
    reply = _transport(slurm, (1,)).ask(instance_ids=[node(1)], question=question)[node(1)]
    assert reply.problem == "no answer within 1 s"
    assert slurm.cancelled() == [f"--name={slurm.started()[0]['options']['job-name']}"]


def test_an_interruption_ends_every_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order to the head is ended, and it ends its jobs and says so to Slurm."""
    slurm = _asked(tmp_path, {1: "never", 2: "never"})
    transport = _transport(slurm, (1, 2))
    monkeypatch.setattr("bedplate.validation.transports.local._GRACE_SECONDS", 20.0)

    def interrupt() -> None:
        until = time.monotonic() + 30
        while len(slurm.started()) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        transport.inner._stopped.set()
        transport.inner._end_all()

    thread = threading.Thread(target=interrupt)
    thread.start()
    replies = transport.ask(instance_ids=[node(1), node(2)], question=Question("probe", deadline_seconds=50))
    thread.join()
    assert all(reply.answer is None for reply in replies.values())
    names = {f"--name={job['options']['job-name']}" for job in slurm.started()}
    assert set(slurm.cancelled()) == names
    assert len(names) == 2


class Told:
    """A way to a head that a test answers for; ``asked`` is what it was asked."""

    def __init__(self, answer: Callable[[Question], dict | None]) -> None:
        self.asked: list[Question] = []
        self._answer = answer

    def ask(self, *, instance_ids: Sequence[str], question: Question, on_reply: object = None) -> dict:
        """Answer."""
        assert list(instance_ids) == [HEAD]
        assert on_reply is None
        self.asked.append(question)
        body = self._answer(question)
        if body is None:
            return {HEAD: Reply(HEAD, problem="its desk is not online", unreachable=True)}
        answer = Answer(HEAD, "0123456789abcdef", question.command, False, body)
        return {HEAD: Reply(HEAD, answer=answer, location="s3://results/x.txt")}

    def online(self, instance_ids: Sequence[str]) -> frozenset[str]:
        """The head is."""
        return frozenset(instance_ids)

    def sleep(self, _seconds: float, /) -> None:
        """No time passes."""

    def clock(self) -> float:
        """No time passes."""
        return 0.0


def _scheduler(count: int, gres: str = "gpu:8") -> dict:
    lines = [f"NodeName=n{at} NodeAddr=10.0.0.{at} Gres={gres} State=IDLE\n" for at in range(1, count + 1)]
    run = {"tool": "scontrol", "argv": ["scontrol", "show", "node", "-o"], "rc": 0, "timed_out": False}
    return {"tools": [{**run, "seconds": 0.1, "stdout": "".join(lines), "stderr": ""}]}


def _over(told: Told, count: int, **settings: str) -> SlurmTransport:
    transport = SlurmTransport(told, HEAD, "25.05", **settings)
    transport.know_nodes([KnownNode(node(at), f"10.0.0.{at}", 8, ("gpu",)) for at in range(1, count + 1)])
    return transport


def _jobs(question: Question) -> list[Job]:
    return decode_jobs(question.options[1])


def test_a_question_to_the_head_goes_straight_through() -> None:
    """Nobody asks Slurm about it; what it runs goes to the queue that is set, and is not changed else."""
    told = Told(lambda _: {})
    transport = _over(told, 1, partition="check", qos="low")
    jobs = Question("run-jobs", ("--jobs", "e30="), 60, usable_seconds=5.0)
    for question in (Question("scheduler", ("--slurm", "25.05"), 7), jobs):
        assert transport.ask(instance_ids=[HEAD], question=question)[HEAD].answer is not None
    assert told.asked[0] == Question("scheduler", ("--slurm", "25.05"), 7)
    options = ("--jobs", "e30=", "--partition", "check", "--qos", "low")
    assert told.asked[1] == Question("run-jobs", options, 60, usable_seconds=5.0)
    assert transport.online([HEAD]) == {HEAD}
    assert len(told.asked) == 2


def test_nodes_are_asked_in_batches_and_slurm_once() -> None:
    """One answer has its size: 150 nodes are three orders of 64, 64 and 22."""
    told = Told(lambda question: _scheduler(150) if question.command == "scheduler" else {"jobs": []})
    transport = _over(told, 150)
    replies = transport.ask(instance_ids=[node(at) for at in range(1, 151)], question=QUICK)
    assert [question.command for question in told.asked] == ["scheduler", *["run-jobs"] * 3]
    assert [len(_jobs(question)) for question in told.asked[1:]] == [64, 64, 22]
    assert all("no row of its job" in reply.problem for reply in replies.values())
    assert told.asked[1].deadline_seconds == 5 + 30 + 120


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [("gpu:8", 8), ("gpu:h200:7", 7), ("gpu:h200:8(S:0-1)", 8), ("gpu:a:4,gpu:b:4", 8), ("(null)", 8)],
)
def test_a_job_asks_for_the_gpus_that_slurm_knows_of(gres: str, gpus: int) -> None:
    """A node that Slurm knows to have lost one would refuse a request for all of its type's."""
    told = Told(lambda question: _scheduler(1, gres) if question.command == "scheduler" else {"jobs": []})
    _over(told, 1).ask(instance_ids=[node(1)], question=QUICK)
    (job,) = _jobs(told.asked[1])
    assert (job.gpus, job.partition, job.nodes) == (gpus, "gpu", ("n1",))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("x", "no row of its job"),
        ({"id": "1"}, "no row of its job"),
        ({"id": "0"}, "no row of its job"),
        ({"id": "0", "stdout": "", "stderr": "", "rc": True, "truncated": False}, "did not end by itself"),
        ({"id": "0", "stdout": "x", "stderr": "", "rc": 0, "truncated": True}, "did not end by itself"),
        ({"id": "0", "stdout": "x", "stderr": "", "rc": 0}, "did not end by itself"),
        ({"id": "0", "stdout": "", "stderr": "", "rc": 0, "truncated": False}, "the answer is empty"),
        (
            {
                "id": "0",
                "stdout": "",
                "stderr": "bedplate-node: no identity\nsrun: error: n1: task 0: Exited with exit code 1\n",
                "rc": 1,
                "truncated": False,
            },
            "(exit status 1): bedplate-node: no identity",
        ),
        (
            {
                "id": "0",
                "stdout": "",
                "stderr": "srun: error: Node failure on n1\nsrun: Job step aborted\n",
                "rc": 1,
                "truncated": False,
            },
            "srun: Job step aborted",
        ),
    ],
)
def test_a_row_that_is_no_whole_answer_is_a_problem(row: object, told: str) -> None:
    """Whatever the head tells: never an answer."""
    way = Told(lambda question: _scheduler(1) if question.command == "scheduler" else {"jobs": [row]})
    reply = _over(way, 1).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.answer is None
    assert told in reply.problem
    assert not reply.unreachable


@pytest.mark.parametrize("silent_at", ["scheduler", "run-jobs"])
def test_a_head_that_does_not_answer_is_no_fault_of_the_nodes(silent_at: str) -> None:
    """They are told of as not asked; nobody is to be drained for it."""
    told = Told(lambda question: None if question.command == silent_at else _scheduler(2))
    transport = _over(told, 2)
    replies = transport.ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert all("its desk is not online" in reply.problem for reply in replies.values())
    assert not any(reply.unreachable for reply in replies.values())
    assert transport.online([node(1)]) == (set() if silent_at == "scheduler" else {node(1)})


def test_a_job_may_ask_what_answers_and_nothing_of_the_node_s_own(tmp_path: Path) -> None:
    """The head would start it as root: it refuses the whole list."""
    slurm = _asked(tmp_path, {1: "well"})
    for arguments in ((), ("bootstrap",), ("run-jobs",), ("sh", "-c", "reboot")):
        job = Job("0", "question", ("gpu-1",), 5.0, arguments=arguments)
        question = Question("run-jobs", ("--jobs", encode_jobs([job])), 10)
        reply = slurm.head.ask(instance_ids=[HEAD], question=question)[HEAD]
        assert "--jobs cannot be read: a job asks" in reply.problem
    assert slurm.started() == []
