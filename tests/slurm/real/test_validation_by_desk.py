"""The whole validation where no command reaches a compute node: by a desk on the head and a real Slurm."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.node.bootstrap.places import PROGRAM
from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.fleet.faults import NO_FAULTS, FaultPlan
from bedplate.validation import deadlines
from bedplate.validation.judgement import judge
from bedplate.validation.transports.desk import DeskLimits, DeskTransport
from bedplate.validation.transports.known_nodes import KnownNode
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.slurm import SlurmTransport
from tests.bench.faults.cluster import LOGIN, Cluster
from tests.bench.faults.harness import validate
from tests.support.desk_thread import serving_desk
from tests.support.memory_bucket import MemoryBucket
from tests.support.real_slurm.config import PartitionLine
from tests.support.real_slurm.played_nodes import PlayedNodes, address, task_prolog

from .conftest import Start
from .test_validation import NODES, SHORT

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "pmix"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
]


class Place:
    """Three played nodes of p5en under slurmctld, and a head whose desk serves a bucket in memory."""

    def __init__(self, played: PlayedNodes, bucket: MemoryBucket, folder: Path) -> None:
        self.played, self.bucket, self.folder = played, bucket, folder
        self.cluster = played.cluster

    def transport(self, *, sleep: Callable[[float], None] = time.sleep) -> SlurmTransport:
        """The way to the nodes, as on HyperPod."""
        limits = DeskLimits(first_pause=0.1, most_pause=0.3)
        desk = DeskTransport(self.bucket.clients, "results", sleep=sleep, limits=limits)
        return SlurmTransport(desk, LOGIN, "25.05")

    def knowing_transport(self) -> SlurmTransport:
        """One that was told of the nodes."""
        transport = self.transport()
        transport.know_nodes(
            [KnownNode(self.cluster.node_id(at), address(at), 8, ("gpu",)) for at in range(NODES)]
        )
        return transport

    def inject(self, *faults: tuple[str, int]) -> None:
        """Carry these faults and no others."""
        made = tuple(make_fault({"cause": kind, "node_index": at}) for kind, at in faults)
        self.cluster.inject(FaultPlan(seed="desk", faults=made) if made else NO_FAULTS)

    def is_left(self) -> list[str]:
        """What is left in Slurm, on the nodes and in the bucket, of what was asked."""
        queue = self.played.slurm.run("squeue", "--noheader").splitlines()
        ranks = [f"rank {pid}" for pid in self.played.ranks()]
        return [*queue, *ranks, *self.bucket.keys("/asked/"), *self.bucket.keys("/cancelled/")]


@pytest.fixture(scope="module")
def place(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Started once; tests go from the nodes that are well to the one that dies."""
    folder, bucket = tmp_path_factory.mktemp("desk"), MemoryBucket()
    cluster = Cluster(folder, instance_type="p5en.48xlarge", size=NODES, address=address)
    try:
        slurm = start_slurm(
            nodes=NODES,
            settings={"TaskProlog": task_prolog(folder), "SlurmdTimeout": "60"},
            partitions=(PartitionLine("gpu", {"Default": "YES"}),),
        )
        played = PlayedNodes(cluster, slurm, folder)
        environment = cluster.environment(LOGIN)
        with serving_desk(
            bucket,
            LOGIN,
            folder=folder / "journals",
            program=(sys.executable, environment["BEDPLATE_ROOT"] + PROGRAM),
            environment=environment,
        ):
            assert within(30, lambda: bool(bucket.keys("alive")))
            slurm.wait_idle()
            yield Place(played, bucket, folder)
    finally:
        cluster.close()


@pytest.fixture(autouse=True)
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hang costs its deadline, and here no minute of it is needed."""
    monkeypatch.setattr(deadlines, "SIMULATED", SHORT)


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Whether it comes true in time."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def test_1_healthy_nodes_pass_and_nothing_is_left(place: Place) -> None:
    """Every question to a node is a job of the real Slurm, as are its exercise and the collectives."""
    place.inject()
    result = validate(place.cluster, "healthy", place.transport())
    assert judge(result=result).passed, [
        (v.check_id, v.summary) for v in result.verdicts if v.outcome is not Outcome.PASS
    ]
    assert place.is_left() == []


def test_2_a_node_with_seven_gpus_is_found(place: Place) -> None:
    """GPU-001 names it, and no other node is at fault."""
    place.inject(("gpu-lost", 1))
    result = validate(place.cluster, "seven", place.transport())
    faults = {(v.check_id, v.subject.names) for v in result.verdicts if v.outcome is Outcome.FAIL}
    assert ("GPU-001", (place.cluster.node_id(1),)) in faults
    assert {names for check, names in faults if check.startswith("GPU")} == {(place.cluster.node_id(1),)}
    assert place.is_left() == []


def test_3_a_node_where_a_job_runs_is_not_asked_and_not_blamed(place: Place) -> None:
    """It is told of with its state, and passes nothing; its job runs on."""
    place.inject()
    slurm = place.played.slurm
    job = slurm.submit("sleep 300", "--nodelist=gpu-2", "--gpus-per-node=1")
    slurm.wait_job(job, "RUNNING")
    try:
        begun = time.monotonic()
        ids = [place.cluster.node_id(at) for at in range(NODES)]
        transport = place.knowing_transport()
        assert transport.online([*ids, LOGIN]) == {ids[0], ids[2], LOGIN}
        replies = transport.ask(instance_ids=ids, question=Question("probe", deadline_seconds=60))
        assert time.monotonic() - begun < 60
        assert [replies[one].answer is not None for one in ids] == [True, False, True]
        assert "MIXED (a job runs on it)" in replies[ids[1]].problem
        assert not replies[ids[1]].unreachable
        assert slurm.job(job)["JobState"] == "RUNNING"
    finally:
        slurm.cancel_all()
    slurm.wait_idle()


@pytest.mark.parametrize("at", ["a question", "a collective"])
def test_4_an_interruption_in_the_middle_leaves_no_job(place: Place, at: str) -> None:
    """While nodes are probed, and while ranks run between nodes: all is ended by its name."""
    place.inject()
    place.played.pause()
    seen: list[str] = []

    def sleep(seconds: float) -> None:
        queue = place.played.slurm.run("squeue", "--noheader", "--format=%j")
        if "bedplate-" in queue and (at == "a question" or place.played.ranks(between_nodes=True)):
            seen.append(queue)
            raise KeyboardInterrupt
        time.sleep(seconds)

    try:
        with pytest.raises(KeyboardInterrupt):
            validate(place.cluster, f"interrupted at {at}", place.transport(sleep=sleep))
    finally:
        place.played.go_on()
    assert seen
    assert within(60, lambda: place.is_left() == []), place.is_left()
    place.played.slurm.wait_idle()


def test_5_a_node_that_dies_in_the_middle_of_a_question_is_told_and_holds_nobody_up(place: Place) -> None:
    """The others have answered; it is told of by its deadline, and no job is left that still runs."""
    place.inject()
    ids = [place.cluster.node_id(at) for at in range(NODES)]
    _hang(place, ids[2])
    slurm = place.played.slurm

    def lose() -> None:
        within(60, lambda: "gpu-3" in slurm.run("squeue", "--noheader", "--states=R", "--format=%N"))
        time.sleep(2)
        place.played.lose("gpu-3")

    loser = threading.Thread(target=lose)
    loser.start()
    begun = time.monotonic()
    replies = place.knowing_transport().ask(instance_ids=ids, question=Question("probe", deadline_seconds=40))
    took = time.monotonic() - begun
    loser.join()
    assert [replies[one].answer is not None for one in ids] == [True, True, False]
    assert replies[ids[2]].problem
    assert took < 40 + 30 + 30, replies[ids[2]].problem
    # Until Slurm calls the node down its job is ended, and not yet cleared.
    assert set(slurm.run("squeue", "--noheader", "--format=%t").split()) <= {"CG"}
    assert place.bucket.keys("/asked/") == []


def _hang(place: Place, instance_id: str) -> None:
    tool = Path(place.cluster.environment(instance_id)["BEDPLATE_ROOT"]).parent / "bin/nvidia-smi"
    tool.unlink(missing_ok=True)
    tool.write_text("#!/bin/sh\nexec sleep 300\n")
    tool.chmod(0o755)
