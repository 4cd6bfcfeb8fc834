"""SIMULATED: nodes of a job that was stopped are loaded again only where they are seen to be free."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.tools import COMPUTE_APPS
from bedplate.validation.steps import collective_tests, exercise_nodes, settle
from bedplate.validation.steps.collective_tests import run_groups
from bedplate.validation.steps.search_fabric import candidates
from tests.validation.steps.small_cluster import context_of, name

TITLES = "pid, process_name, gpu_uuid\n"


def _answer(stdout: str, *, rc: int | None = 0) -> dict[str, Any]:
    run = {
        "argv": list(COMPUTE_APPS),
        "rc": rc,
        "timed_out": False,
        "truncated": False,
        "seconds": 0.1,
        "stdout": stdout,
        "stderr": "",
    }
    return {"tools": [run]}


def _settled(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | str) -> list[str]:
    monkeypatch.setattr(settle, "wait_until_idle", lambda *_: None)
    context = context_of({"gpu-processes": lambda *_: answer}, nodes=2)
    settle.settle(context, context.record.nodes)
    return [node.why_not_loaded for node in context.record.nodes]


def test_free_gpus_may_be_loaded_again(monkeypatch) -> None:
    """The driver's list is there and empty."""
    assert _settled(monkeypatch, _answer(TITLES)) == ["", ""]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (_answer(TITLES + "77, all_gather_perf, GPU-1\n"), "all_gather_perf (pid 77)"),
        (_answer(""), "does not say"),
        (_answer(TITLES, rc=9), "does not say"),
        ({"tools": []}, "does not say"),
        ("no answer within 60 s", "does not say"),
    ],
)
def test_what_is_not_seen_to_be_free_is_loaded_no_more(monkeypatch, answer, words) -> None:
    """A process that stays, and every answer that is none."""
    for why in _settled(monkeypatch, answer):
        assert words in why
        assert "was stopped there" in why


def test_only_a_process_that_is_seen_holds_a_node(monkeypatch) -> None:
    """The driver names the process: the node is held. No answer: nothing is known of it."""
    monkeypatch.setattr(settle, "wait_until_idle", lambda *_: None)
    for answer, held in ((_answer(TITLES + "77, all_gather_perf, GPU-1\n"), True), (_answer(""), False)):
        context = context_of({"gpu-processes": lambda *_, told=answer: told}, nodes=2)
        settle.settle(context, context.record.nodes)
        assert [node.held for node in context.record.nodes] == [held, held]


def test_a_node_that_is_not_free_is_in_no_later_test(monkeypatch) -> None:
    """Its group is not launched, says why, and blames nobody; the other groups run."""
    launched: list[int] = []
    monkeypatch.setattr(collective_tests, "settle", lambda *_: None)
    context = context_of(nodes=4)
    context.record.nodes[0].why_not_loaded = "processes stayed on its GPUs"

    def run_jobs(jobs: list[Any]) -> Any:
        launched.append(len(jobs))
        raise RuntimeError("enough")

    monkeypatch.setattr(context, "run_jobs", run_jobs)
    nodes = context.record.nodes
    asked: dict[str, Any] = {
        "name": "x",
        "collective": "all_reduce",
        "scope": "pair",
        "deadline_seconds": 1.0,
    }
    (test,) = run_groups(context, groups=[nodes[:2]], **asked)
    assert (test.judgement, test.stopped, launched) == (None, False, [])
    assert name(0) in test.problem
    with pytest.raises(RuntimeError):
        run_groups(context, groups=[nodes[:2], nodes[2:]], **asked)
    assert launched == [1]


@pytest.mark.parametrize(
    ("job", "settled"),
    [
        ({"rc": None, "timed_out": True}, True),
        ({"rc": 3}, True),
        ({"rc": 0, "truncated": True}, True),
        ({"rc": 1, "stderr": "srun: error: Unable to allocate resources: Requested nodes are busy"}, False),
    ],
)
def test_whatever_did_not_end_well_is_followed_by_a_look(monkeypatch, job, settled) -> None:
    """Killed, crashed, cut; a launch that was refused put nothing on the GPUs."""
    looked: list[int] = []
    monkeypatch.setattr(collective_tests, "settle", lambda _context, nodes: looked.append(len(nodes)))
    row = {"id": "0", "timed_out": False, "truncated": False, "stdout": "", "stderr": "", **job}
    context = context_of({"run-jobs": lambda *_: {"jobs": [row]}}, nodes=2)
    run_groups(
        context,
        name="x",
        groups=[context.record.nodes],
        collective="all_reduce",
        scope="pair",
        deadline_seconds=1.0,
    )
    assert looked == ([2] if settled else [])


def test_a_collective_that_the_answer_does_not_tell_of_is_followed_by_a_look(monkeypatch) -> None:
    """Nobody knows how it ended: its nodes are looked at; the group that was told of is left alone."""
    looked: list[str] = []
    monkeypatch.setattr(
        collective_tests, "settle", lambda _context, nodes: looked.extend(node.node for node in nodes)
    )
    row = {"id": "1", "rc": 0, "timed_out": False, "truncated": False, "stdout": "", "stderr": ""}
    context = context_of({"run-jobs": lambda *_: {"jobs": [row]}}, nodes=4)
    nodes = context.record.nodes
    lost, _ = run_groups(
        context,
        name="x",
        groups=[nodes[:2], nodes[2:]],
        collective="all_reduce",
        scope="pair",
        deadline_seconds=1.0,
    )
    assert (lost.judgement, lost.stopped) == (None, True)
    assert looked == [name(0), name(1)]


REFUSED = "srun: error: Unable to allocate resources: Requested nodes are busy"


@pytest.mark.parametrize(
    ("job", "looked_at"),
    [
        ("the login node has gone", [0, 1]),
        (None, [1]),
        ({"rc": 9, "stderr": "srun: error: h200-1: task 0: Killed"}, [1]),
        ({"rc": None}, [1]),
        ({"rc": None, "timed_out": True, "problem": "deadline of 600 s passed"}, [1]),
        ({"rc": 1, "stderr": REFUSED}, []),
        ({"rc": 1, "stderr": REFUSED, "stdout": "it ran after all"}, [1]),
        ({"rc": 1, "stderr": f"{REFUSED}\nsrun: error: h200-1: task 0: Killed"}, [1]),
        ({"rc": 0}, []),
    ],
)
def test_an_exercise_that_did_not_end_well_is_followed_by_a_look(monkeypatch, job, looked_at) -> None:
    """No answer, no row, a bad status, a deadline; one that was refused put nothing on the GPUs. The first
    node's exercise ends well each time.
    """
    looked: list[str] = []
    monkeypatch.setattr(
        exercise_nodes, "settle", lambda _context, nodes: looked.extend(node.node for node in nodes)
    )
    usual = {"rc": 0, "timed_out": False, "truncated": False, "stdout": "", "stderr": ""}
    rows = [{"id": name(0), **usual}]
    if isinstance(job, dict):
        rows.append({"id": name(1), **usual, **job})
    context = context_of({"run-jobs": lambda *_: job if isinstance(job, str) else {"jobs": rows}}, nodes=2)
    exercise_nodes.exercise_nodes(context)
    assert looked == [name(number) for number in looked_at]


def test_a_node_that_does_not_come_free_after_its_exercise_is_in_no_test_with_others(monkeypatch) -> None:
    """Its exercise ended badly and a process stayed: it is kept out, so no partner of it is ever blamed."""
    monkeypatch.setattr(settle, "wait_until_idle", lambda *_: None)
    rows = [
        {"id": name(number), "rc": 0 if number else 9, "timed_out": False, "stdout": "", "stderr": ""}
        for number in range(3)
    ]
    busy = _answer(TITLES + "77, all_reduce_perf, GPU-1\n")
    context = context_of({"run-jobs": lambda *_: {"jobs": rows}, "gpu-processes": lambda *_: busy}, nodes=3)
    exercise_nodes.exercise_nodes(context)
    assert list(candidates(context, context.record.nodes)) == [name(1), name(2)]
    assert "all_reduce_perf (pid 77)" in context.record.nodes[0].why_not_loaded
