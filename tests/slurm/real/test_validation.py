"""The whole validation over a real Slurm: what it starts there, what it finds, and that it leaves nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.fleet.faults import NO_FAULTS, FaultPlan
from bedplate.validation import deadlines
from bedplate.validation.actions.after_run import act_after_run
from bedplate.validation.actions.cluster import Cluster as LiveCluster
from bedplate.validation.actions.journal import Journals
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.actions.session import ActionSession
from bedplate.validation.actions.undo import undo
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.judgement import judge
from bedplate.validation.progress import NullProgress
from bedplate.validation.record import Record
from bedplate.validation.result import RunResult
from bedplate.validation.steps.ask_scheduler import ask_scheduler
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.find_nodes import find_nodes
from bedplate.validation.stores.bucket import BucketStore
from tests.bench.faults.clients import MemoryClients
from tests.bench.faults.cluster import Cluster
from tests.bench.faults.harness import validate
from tests.support.real_slurm.config import PartitionLine
from tests.support.real_slurm.played_nodes import PlayedNodes, address, task_prolog

from .conftest import Start

pytestmark = [
    pytest.mark.real("slurmctld", "munged", "pmix"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
]
NODES = 3
SHORT = deadlines.Deadlines(
    pair_seconds=25.0,
    all_nodes_seconds=40.0,
    settle_seconds=6.0,
    boot=deadlines.SIMULATED.boot,
    bootstrap=deadlines.SIMULATED.bootstrap,
    association_seconds=5.0,
)


@pytest.fixture(scope="module")
def played(start_slurm: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedNodes]:
    """Three nodes of p5en under slurmctld and three slurmd, and a login node."""
    folder = tmp_path_factory.mktemp("played")
    cluster = Cluster(folder, instance_type="p5en.48xlarge", size=NODES, address=address)
    try:
        slurm = start_slurm(
            nodes=NODES,
            settings={"TaskProlog": task_prolog(folder), "SlurmdTimeout": "60"},
            partitions=(PartitionLine("gpu", {"Default": "YES"}),),
        )
        yield PlayedNodes(cluster, slurm, folder)
    finally:
        cluster.close()


@pytest.fixture(autouse=True)
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hang costs its deadline, and here no minute of it is needed."""
    monkeypatch.setattr(deadlines, "SIMULATED", SHORT)


def _inject(played: PlayedNodes, *faults: tuple[str, int]) -> None:
    made = tuple(make_fault({"cause": kind, "node_index": at}) for kind, at in faults)
    played.cluster.inject(FaultPlan(seed="real", faults=made) if made else NO_FAULTS)


def _validate(played: PlayedNodes, name: str) -> RunResult:
    return validate(played.cluster, name, played.transport())


def _nothing_is_left(played: PlayedNodes) -> bool:
    return not played.slurm.run("squeue", "--noheader").strip() and not played.ranks()


def test_1_healthy_nodes_pass(played: PlayedNodes) -> None:
    """Every exercise and every collective is a job of the real Slurm, whose ranks it starts by PMIx."""
    _inject(played)
    result = _validate(played, "healthy")
    assert judge(result=result).passed, [
        (v.check_id, v.summary) for v in result.verdicts if v.outcome is not Outcome.PASS
    ]
    assert _nothing_is_left(played)


def test_2_a_node_with_seven_gpus_is_drained_with_the_reason_and_undo_resumes_it(played: PlayedNodes) -> None:
    """GPU-001 names the node; the drain that follows is Slurm's own, and so is the end of it."""
    _inject(played, ("gpu-lost", 1))
    result = _validate(played, "seven")
    faults = {(v.check_id, v.subject.names) for v in result.verdicts if v.outcome is Outcome.FAIL}
    assert ("GPU-001", (played.cluster.node_id(1),)) in faults
    session = _session(played)
    _act(session, result)
    node = played.slurm.node("gpu-2")
    assert "DRAIN" in node["State"]
    assert ": gpu-lost (GPU-001)" in node["Reason"]
    assert not [name for name in ("gpu-1", "gpu-3") if "DRAIN" in played.slurm.node(name)["State"]]
    (plan_id,) = session.journals.ids()
    undo(plan=session.journals.read(plan_id).plan, cluster=session.cluster, journals=session.journals)
    assert "DRAIN" not in played.slurm.node("gpu-2")["State"]


def test_3_a_hanging_pair_is_found_within_its_deadline_and_nothing_runs_on(played: PlayedNodes) -> None:
    """The node that hangs is named, each test cost its deadline at most, and nothing is left of them."""
    _inject(played, ("collective-hang", 2))
    begun = time.monotonic()
    result = _validate(played, "hang")
    took = time.monotonic() - begun
    named = {
        (v.cause, v.subject.names)
        for v in result.verdicts
        if v.outcome is Outcome.FAIL and v.subject.kind == "node"
    }
    assert ("collective-hang", (played.cluster.node_id(2),)) in named
    assert took < 300
    assert _nothing_is_left(played)


def test_4_a_node_that_dies_meanwhile_is_told_and_not_waited_for(played: PlayedNodes) -> None:
    """It is lost in the middle of the collective: the run ends by its deadlines, and is no pass."""
    _inject(played)
    played.pause()
    lost: list[str] = []

    def lose() -> None:
        until = time.monotonic() + 240
        while not played.ranks(between_nodes=True) and time.monotonic() < until:
            time.sleep(0.1)
        lost.append("gpu-3")
        played.lose("gpu-3")
        played.go_on()

    loser = threading.Thread(target=lose)
    loser.start()
    begun = time.monotonic()
    try:
        result = _validate(played, "lost")
    finally:
        loser.join()
        played.go_on()
    assert lost
    assert not judge(result=result).passed
    assert time.monotonic() - begun < 200
    told = [v.summary for v in result.verdicts if v.check_id == "FAB-001" and v.outcome is Outcome.ERROR]
    assert any("srun: Job step aborted" in summary for summary in told), told
    assert not played.ranks()
    # Until Slurm calls the node down its job is ended, and not yet cleared.
    assert set(played.slurm.run("squeue", "--noheader", "--format=%t").split()) <= {"CG"}


def test_5_jobs_of_a_run_that_was_cut_off_are_waited_for_and_a_users_is_left_alone(
    played: PlayedNodes, tmp_path: Path
) -> None:
    """The queue of a real Slurm tells both by their names; the node of the first is free afterwards."""
    # Not the one of the runs before, whose job on a lost node may still be ending.
    nonce = "fedcba9876543210" * 2
    # The first ends once it was seen and is waited for: on a busy machine a fixed time is over before.
    seen = tmp_path / "seen"
    ends = f"until [ -e {seen} ]; do sleep 1; done"
    own = f"bedplate-{nonce[:16]}-job-1"
    for node, name, does in (("gpu-1", own, ends), ("gpu-2", "train", "sleep 500")):
        options = (
            f"--nodelist={node}",
            f"--job-name={name}",
            "--exclusive",
            "--time=9",
            "--output=/dev/null",
        )
        played.slurm.run("sbatch", *options, f"--wrap={does}")
    until = time.monotonic() + 30
    while played.slurm.run("squeue", "--noheader", "--format=%t").split().count("R") < 2:
        assert time.monotonic() < until
        time.sleep(0.2)
    clients: Any = MemoryClients(played.cluster)
    manifest = played.cluster.manifest()
    evidence = EvidenceStore(clients, manifest.validation.result_bucket, "cut-off")
    transport: Any = played.transport()

    def waiting(seconds: float) -> None:
        if any("run that was cut off" in note for note in context.record.notes):
            seen.touch()
        time.sleep(seconds)

    # A job of the real Slurm takes its time, and is to be waited for in earnest.
    transport.sleep, transport.clock = waiting, time.monotonic
    context = Context(Record(manifest, simulated=True), clients, transport, evidence, NullProgress())
    context.nonces_before = frozenset({nonce})
    try:
        find_nodes(context)
        ask_scheduler(context)
        # Nobody waited for the user's job.
        assert played.slurm.run("squeue", "--noheader", "--name=train", "--format=%t").split() == ["R"]
    finally:
        played.slurm.run("scancel", "--name=train")
    why = {node.slurm_name: node.why_not_loaded for node in context.record.nodes}
    assert why["gpu-1"] == ""
    assert "a job runs on it" in why["gpu-2"]
    assert any("1 jobs of the run that was cut off" in note for note in context.record.notes)


def _session(played: PlayedNodes) -> ActionSession:
    clients: Any = MemoryClients(played.cluster)
    manifest, transport = played.cluster.manifest(), cast("Any", played.transport())
    bucket = manifest.validation.result_bucket
    return ActionSession(
        LiveCluster(clients, manifest, transport), Journals(clients, bucket), BucketStore(clients, bucket)
    )


def _act(session: ActionSession, result: RunResult) -> RunResult:
    return act_after_run(
        clients=session.cluster.clients,
        manifest=session.cluster.manifest,
        run_id="seven",
        result=result,
        policy=ActionPolicy(on_failure="drain", at_most_percent=50),
        carry_out=True,
        session=session,
    )
