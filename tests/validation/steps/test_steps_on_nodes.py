"""SIMULATED: tests of finding, probing, scheduling and exercising nodes, over answers made by hand."""

import json
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from gzip import decompress
from types import SimpleNamespace

import pytest

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.node import ExerciseJudgement
from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.manifest import FileSystemManifest
from bedplate.node.envelope import seal
from bedplate.validation import discovery
from bedplate.validation.deadlines import SIMULATED
from bedplate.validation.judgement import judge
from bedplate.validation.steps import ask_scheduler, await_agents, exercise_nodes, find_nodes, probe_nodes
from bedplate.validation.stores.folder import FolderStore
from bedplate.validation.validate import Validation, new_validation
from tests.validation.steps.small_cluster import (
    LOGIN,
    POOL,
    context_of,
    instance,
    manifest,
    name,
    verdicts_of,
)


def owed(context, checks) -> list[str]:
    """Those of the checks that the pool's nodes must pass."""
    required = required_checks(POOL.hardware, nodes=4, expected=context.record.expected_of(POOL))
    return [each for each in checks if each in required]


def scontrol(*rows: tuple[int, str, str]) -> dict:
    """The login node's answer: (number, state, allocated); a reason may stand behind the state."""
    lines = [
        f"NodeName=h200-{number} NodeAddr=10.0.0.{number + 1} AllocTRES={allocated} State={state}"
        for number, state, allocated in rows
    ]
    run = {"argv": ["scontrol", "show", "node", "-o"], "rc": 0, "timed_out": False, "seconds": 0.1}
    return {"tools": [{**run, "stdout": "\n".join(lines) + "\n", "stderr": ""}]}


def test_a_node_of_another_type_than_its_pools_fails_and_is_left_alone(monkeypatch) -> None:
    """Both types are named; it is not judged by the pool's hardware, and nothing is run on it."""
    found = [instance(number) for number in range(4)]
    found[2] = replace(found[2], instance_type="p5.48xlarge")
    monkeypatch.setattr(discovery, "find_instances", lambda **_: tuple(found))
    context = context_of({"probe": lambda *_: {"tools": []}}, nodes=0)
    find_nodes.find_nodes(context)
    probe_nodes.probe_nodes(context)
    verdict = verdicts_of(context, "NOD-001")[(name(2),)]
    assert verdict.outcome is Outcome.FAIL
    assert "p5.48xlarge" in verdict.summary
    assert "p5en.48xlarge" in verdict.summary
    assert verdicts_of(context, "GPU-001")[(name(2),)].outcome is Outcome.ERROR
    assert context.record.nodes[2].why_not_loaded
    assert name(2) not in context.transport.asked[0][1]
    assert context.record.result(complete=True).nodes[2].instance_type == "p5.48xlarge"


ALWAYS = ("install_program", "install_boot_unit", "install_hooks", "hold_updates", "set_memlock")
P5EN = (*ALWAYS, "set_hugepages", "set_nccl_defaults", "set_persistence")


def record_of(*steps: str) -> dict:
    """A probe's answer with a bootstrap's record."""
    entries = [{"name": step, "outcome": "done", "reason": "", "seconds": 1} for step in steps]
    record = {
        "schema": 2,
        "outcome": "done",
        "boot_id": "b",
        "steps": entries,
        "report": {"key": "k", "problem": ""},
    }
    return {"tools": [], "boot_id": "b", "files": {"bootstrap": json.dumps(record)}}


LUSTRE = FileSystemManifest(
    kind="lustre", created=True, file_system_id="fs-1", mount_source="d@tcp:/m", mount_path="/fsx", efa=True
)


@pytest.mark.parametrize(
    ("file_systems", "local_nvme", "users_key", "steps"),
    [
        ([], "none", None, P5EN),
        ([], "none", "users/prod.json", (*P5EN, "make_users")),
        ([], "raid0", None, (*P5EN, "make_scratch")),
        (
            [LUSTRE],
            "raid0",
            None,
            (*P5EN, "make_scratch", "install_lustre_client", "set_up_lnet", "mount_file_systems"),
        ),
        (
            [LUSTRE.model_copy(update={"efa": False})],
            "none",
            None,
            (*P5EN, "install_lustre_client", "mount_file_systems"),
        ),
        (
            [LUSTRE.model_copy(update={"kind": "efs", "efa": False})],
            "none",
            None,
            (*P5EN, "install_nfs_client", "mount_file_systems"),
        ),
    ],
)
def test_the_bootstrap_must_have_done_what_the_environment_needs(
    file_systems, local_nvme, users_key, steps
) -> None:
    """Every step that the node program would do for the manifest must be there; one too few is an error."""

    def verdict(done):
        context = context_of({"probe": lambda *_: record_of(*done)}, nodes=1)
        update = {"file_systems": file_systems, "local_nvme": local_nvme, "users_key": users_key}
        context.record.manifest = context.record.manifest.model_copy(update=update)
        probe_nodes.probe_nodes(context)
        return verdicts_of(context, "NOD-002")[(name(0),)]

    assert verdict(steps).outcome is Outcome.PASS
    for missing in steps:
        found = verdict([step for step in steps if step != missing])
        assert found.outcome is Outcome.ERROR
        assert missing in found.summary


def test_a_node_without_its_containers_is_no_pass() -> None:
    """Where the environment has them, NOD-002 asks for the step that sets them up."""
    found = {}
    for done in (P5EN, (*P5EN, "install_containers")):
        context = context_of({"probe": lambda *_, done=done: record_of(*done)}, nodes=1)
        update = {"file_systems": [], "local_nvme": "none", "containers": True}
        context.record.manifest = context.record.manifest.model_copy(update=update)
        probe_nodes.probe_nodes(context)
        found[done[-1]] = verdicts_of(context, "NOD-002")[(name(0),)]
    assert found["install_containers"].outcome is Outcome.PASS
    without = found[P5EN[-1]]
    assert without.outcome is Outcome.ERROR
    assert "install_containers" in without.summary


@pytest.mark.parametrize(
    ("age_seconds", "ends_at", "asked", "outcome"),
    [
        (5, 3, 3, Outcome.PASS),
        (5, 0, None, Outcome.ERROR),
        (3600, 0, 1, Outcome.ERROR),
        (5, 1, 1, Outcome.PASS),
    ],
)
@pytest.mark.parametrize("before", ["silent", {"tools": []}])
def test_a_young_node_is_asked_again_until_its_bootstrap_has_ended(
    monkeypatch, age_seconds, ends_at, asked, outcome, before
) -> None:
    """Agents are online before the program and the record are there; waiting is bounded, and old nodes and
    those that are ready cost nothing.
    """
    clock = [datetime.now(UTC)]
    monkeypatch.setattr(probe_nodes, "datetime", SimpleNamespace(now=lambda _zone: clock[0]))
    calls: list[str] = []

    def answer(one, _question):
        calls.append(one)
        return record_of(*P5EN) if ends_at and len(calls) >= ends_at else before

    def sleep(seconds):
        clock[0] += timedelta(seconds=seconds)

    context = context_of({"probe": answer}, nodes=1)
    context.record.nodes[0].launched_at = clock[0] - timedelta(seconds=age_seconds)
    monkeypatch.setattr(context.transport, "sleep", sleep)
    probe_nodes.probe_nodes(context)
    assert verdicts_of(context, "NOD-002")[(name(0),)].outcome is outcome
    if asked is None:
        assert 2 <= len(calls) <= SIMULATED.bootstrap.seconds / 5 + 1
    else:
        assert len(calls) == asked


def test_a_node_without_an_answer_has_an_error_for_every_passive_check() -> None:
    """Cut: error throughout. Unreachable: NOD-001 is a fail with its cause. Neither is loaded later."""
    told = {name(0): "the answer breaks off before its end mark", name(1): "unreachable"}
    context = context_of({"probe": lambda one, _: told.get(one, {"tools": []})}, nodes=3)
    probe_nodes.probe_nodes(context)
    for check in owed(context, [each.id for each in PROBE_CHECKS]):
        said = verdicts_of(context, check)
        assert {said[(name(number),)].outcome for number in range(3)} == {Outcome.ERROR}, check
    said = verdicts_of(context, "NOD-001")
    assert said[(name(0),)].outcome is Outcome.ERROR
    assert said[(name(1),)].outcome is Outcome.FAIL
    assert said[(name(1),)].cause == "node-unreachable"
    assert said[(name(2),)].outcome is Outcome.PASS
    assert all(context.record.nodes[number].why_not_loaded for number in (0, 1))


def test_only_idle_nodes_may_be_loaded() -> None:
    """Idle yes; with a job, drained, or unknown to Slurm no, each with its reason."""
    rows = scontrol((0, "IDLE+CLOUD", ""), (1, "ALLOCATED+CLOUD", "gres/gpu=8"), (2, "IDLE+DRAIN", ""))
    context = context_of({"scheduler": lambda *_: rows})
    ask_scheduler.ask_scheduler(context)
    whys = [node.why_not_loaded for node in context.record.nodes]
    assert whys[0] == ""
    assert "a job runs on it" in whys[1]
    assert "DRAIN" in whys[2]
    assert "no node with the address" in whys[3]
    assert context.login == LOGIN


def test_a_node_that_waits_at_the_gate_is_given_time_and_then_told_so() -> None:
    """One that comes through meanwhile is loaded; one that does not is left alone, in these words."""
    waits = "IDLE+MAINTENANCE+RESERVED Comment=bedplate gate: waits for its pair"
    asked: list[int] = []

    def answer(*_):
        asked.append(1)
        first = waits if len(asked) < 3 else "IDLE"
        return scontrol((0, first, ""), (1, waits, ""), (2, "IDLE", ""), (3, "IDLE", ""))

    context = context_of({"scheduler": answer})
    ask_scheduler.ask_scheduler(context)
    whys = [node.why_not_loaded for node in context.record.nodes]
    assert whys[0] == ""
    assert whys[1].startswith("it waits at the gate (bedplate gate: waits for its pair")
    assert len(asked) == 61


@pytest.mark.parametrize("answer", ["the answer is empty", {"tools": []}, scontrol()])
def test_a_scheduler_that_cannot_be_asked_lets_no_node_be_loaded(answer) -> None:
    """No answer, no scontrol in it, or nothing in what it printed."""
    context = context_of({"scheduler": lambda *_: answer})
    ask_scheduler.ask_scheduler(context)
    assert context.login == ""
    assert all("could not be asked" in node.why_not_loaded for node in context.record.nodes)


def test_without_a_login_node_no_node_is_loaded() -> None:
    """There is nobody to place jobs."""
    context = context_of()
    context.logins = ()
    ask_scheduler.ask_scheduler(context)
    assert all("no login node" in node.why_not_loaded for node in context.record.nodes)


def jobs_of(question) -> list[dict]:
    """The jobs that the login node was asked to run."""
    return json.loads(decompress(b64decode(question.options[1])))


def exercised(how: dict[str, str]):
    """The login node's answer to run-jobs; ``how`` maps a node to what it prints."""

    def answer(_login, question):
        jobs = []
        for job in jobs_of(question):
            good = seal(body={"tools": []}, instance_id=job["id"], nonce="nonce-1234", command="exercise")
            foreign = seal(body={}, instance_id=name(99), nonce="nonce-1234", command="exercise")
            out = {"cut": good[:100], "foreign": foreign, "silent": ""}.get(how.get(job["id"], ""), good)
            jobs.append({"id": job["id"], "stdout": out, "stderr": "srun: error: it broke\n", "rc": 0})
        return {"jobs": jobs}

    return answer


def test_each_idle_node_is_exercised_by_a_job_of_its_own() -> None:
    """A node that hangs holds up none of the others; each job has all GPUs and the pool's partition."""
    questions = []

    def answer(login_id, question):
        questions.append(question)
        return exercised({})(login_id, question)

    context = context_of({"run-jobs": answer})
    exercise_nodes.exercise_nodes(context)
    jobs = jobs_of(questions[0])
    assert [job["nodes"] for job in jobs] == [[f"h200-{number}"] for number in range(4)]
    assert {(job["gpus"], job["partition"], job["exercise"]["dcgm_level"]) for job in jobs} == {
        (8, "train", 2)
    }


def test_what_nccl_says_of_itself_is_told_for_each_node(monkeypatch) -> None:
    """NCCL, plugin and libfabric stand among a node's versions."""

    def judge_one(facts, **_):
        return ExerciseJudgement((), (), {"nccl": "2.26.2" if facts.node == name(3) else "2.27.5"})

    monkeypatch.setattr(exercise_nodes, "judge_exercise", judge_one)
    context = context_of({"run-jobs": exercised({})})
    exercise_nodes.exercise_nodes(context)
    told = [node.versions["nccl"] for node in context.record.result(complete=True).nodes]
    assert told[2:] == ["2.27.5", "2.26.2"]


def test_an_exercise_of_another_boot_is_not_this_nodes() -> None:
    """It was booted between its probe and its exercise, as in a run that was taken up: an error, no pass."""
    context = context_of({"run-jobs": exercised({})})
    for node in context.record.nodes[:2]:
        node.boot_id = "the-boot-that-was-probed"
    exercise_nodes.exercise_nodes(context)
    said = verdicts_of(context, "DCG-002")
    for number in range(2):
        assert said[(name(number),)].outcome is Outcome.ERROR
        assert "booted anew" in said[(name(number),)].summary
    assert "booted anew" not in said[(name(2),)].summary


@pytest.mark.parametrize("how", ["cut", "foreign", "silent"])
def test_an_exercise_without_a_whole_answer_is_an_error(how) -> None:
    """The envelope inside the job's log must open too, for the node and this run."""
    context = context_of({"run-jobs": exercised({name(1): how})})
    exercise_nodes.exercise_nodes(context)
    for check in owed(context, exercise_nodes.ASKED):
        verdict = verdicts_of(context, check)[(name(1),)]
        assert verdict.outcome is Outcome.ERROR
        assert "srun: error: it broke" in verdict.summary


@pytest.mark.parametrize(("links_down", "cause"), [(True, "nvlink-down"), (False, "nvlink-slow")])
def test_links_that_are_down_explain_a_node_that_is_slow_inside(monkeypatch, links_down, cause) -> None:
    """One fault seen by two checks keeps one name; slowness alone has its own."""
    subject = Subject("node", (name(1),))
    slow = Verdict("NCL-001", subject, Outcome.FAIL, "too slow", cause="nvlink-slow")
    monkeypatch.setattr(
        exercise_nodes,
        "judge_exercise",
        lambda facts, **_: ExerciseJudgement((slow,) if facts.node == name(1) else (), ()),
    )
    context = context_of({"run-jobs": exercised({})})
    if links_down:
        context.record.add([Verdict("NVL-001", subject, Outcome.FAIL, "down", cause="nvlink-down")])
    exercise_nodes.exercise_nodes(context)
    verdict = verdicts_of(context, "NCL-001")[(name(1),)]
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, cause)


def test_a_login_node_that_falls_silent_is_an_error_for_all() -> None:
    """Not one node is passed by default; and none is loaded again without a look at its GPUs."""
    silent = dict.fromkeys(("run-jobs", "scheduler", "gpu-processes"), lambda *_: "no answer within 100 s")
    context = context_of(silent)
    exercise_nodes.exercise_nodes(context)
    assert all("whether its GPUs are free" in node.why_not_loaded for node in context.record.nodes)
    assert {one.outcome for one in context.record.verdicts} == {Outcome.ERROR}
    assert len(context.record.verdicts) == 4 * len(owed(context, exercise_nodes.ASKED))


def test_a_node_with_a_job_or_without_its_gpus_is_not_exercised() -> None:
    """Busy: not-tested, never disturbed. Short of GPUs: cannot be given all of them."""
    asked = []

    def answer(login_id, question):
        asked.extend(job["id"] for job in jobs_of(question))
        return exercised({})(login_id, question)

    context = context_of({"run-jobs": answer})
    context.record.nodes[0].why_not_loaded = "Slurm says ALLOCATED (a job runs on it); it is left alone"
    context.record.add([Verdict("GPU-001", Subject("node", (name(1),)), Outcome.FAIL, "7 of 8")])
    exercise_nodes.exercise_nodes(context)
    assert asked == [name(2), name(3)]
    for number in (0, 1):
        assert verdicts_of(context, "NCL-001")[(name(number),)].outcome is Outcome.NOT_TESTED


def test_a_run_that_is_cut_off_is_not_complete_and_not_passed(monkeypatch) -> None:
    """What is known so far can be kept, and never counts."""
    context = context_of()
    validation = Validation(context)
    result = validation.result()
    assert not result.complete
    assert not judge(result=result).passed


def test_what_no_step_said_is_not_tested_and_not_passed(monkeypatch) -> None:
    """A whole run in which no step says anything: every required check is not-tested for every node."""
    context = context_of()
    context.record.required = {"NOD-001", "NCL-003"}
    monkeypatch.setattr("bedplate.validation.validate.STEPS", ())
    result = Validation(context).run()
    assert result.complete
    assert {one.outcome for one in result.verdicts} == {Outcome.NOT_TESTED}
    assert len(result.verdicts) == 5
    assert not judge(result=result).passed


def test_one_node_alone_is_said_to_be_one_and_not_to_lack_the_part(monkeypatch) -> None:
    """FAB-001 applies to the type; with one node there was nobody to test it with."""
    context = context_of(nodes=1)
    context.record.required = {"FAB-001"}
    monkeypatch.setattr("bedplate.validation.validate.STEPS", ())
    (verdict,) = Validation(context).run().verdicts
    assert verdict.outcome is Outcome.NOT_TESTED
    assert "one node" in verdict.summary


def test_the_files_waivers_count_and_differences_from_the_deploy_are_told(monkeypatch, tmp_path) -> None:
    """A waiver taken out of the file counts no more, one put in does; the result's notes say so."""
    deployed = manifest(waivers={"NCL-003": "no floor", "GPU-004": "old"})
    clients = SimpleNamespace(simulated=True)
    monkeypatch.setattr("bedplate.validation.validate.BucketStore", lambda *_: FolderStore(tmp_path))
    made = new_validation(clients=clients, manifest=deployed, waivers={"GPU-004": "new", "DCG-002": "slow"})
    result = made.result()
    assert {one.check_id: one.reason for one in result.waivers} == {"GPU-004": "new", "DCG-002": "slow"}
    assert [note.split()[0] for note in result.notes] == ["DCG-002", "GPU-004", "NCL-003"]
    assert made.lock is not None
    made.lock.release(complete=True)
    same = new_validation(clients=clients, manifest=deployed, waivers=deployed.validation.waivers)
    assert same.result().notes == []


@pytest.mark.parametrize(
    ("age_seconds", "comes_up", "asked"), [(5, True, 3), (5, False, None), (3600, False, 0)]
)
def test_young_nodes_are_given_time_to_boot_and_old_ones_are_not(
    monkeypatch, age_seconds, comes_up, asked
) -> None:
    """A node just launched is waited for, for a bounded time; an old one that is silent is not."""
    clock = [datetime.now(UTC)]
    monkeypatch.setattr(await_agents, "datetime", SimpleNamespace(now=lambda _zone: clock[0]))
    context = context_of(nodes=1)
    context.record.nodes[0].launched_at = clock[0] - timedelta(seconds=age_seconds)
    calls: list[int] = []

    def online(names):
        calls.append(len(names))
        return frozenset(names) if comes_up and len(calls) >= 3 else frozenset()

    def sleep(seconds):
        clock[0] += timedelta(seconds=seconds)

    monkeypatch.setattr(context.transport, "online", online, raising=False)
    monkeypatch.setattr(context.transport, "sleep", sleep)
    await_agents.await_agents(context)
    if asked is None:
        assert len(calls) >= (SIMULATED.boot - timedelta(seconds=6)).seconds
    else:
        assert len(calls) == asked
