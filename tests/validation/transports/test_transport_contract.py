"""What every way to the nodes promises: one reply for each, whatever happens, and nothing made up."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from bedplate.validation.transports.question import Question
from tests.validation.transports.test_ssm_transport import node
from tests.validation.transports.ways import BEHAVIOURS, WAYS

QUICK = Question("probe", deadline_seconds=5)
WORDS = {
    "empty": "empty|no answer",
    "cut": "breaks off",
    "foreign": "answer is of",
    "stale": "earlier question",
    "failed": "did not end well",
    "traceback": "cannot open the file",
    "never": "no answer within 5 s",
    "unknown": "not online|does not play it",
}


@pytest.fixture(params=sorted(WAYS))
def way(request: pytest.FixtureRequest):
    """One way after the other; what serves it ends with the test."""
    with ExitStack() as stack:
        yield lambda behave, folder: WAYS[request.param](behave, folder, stack)


def test_a_node_that_is_well_gives_a_whole_answer_and_says_where_it_lies(way, tmp_path: Path) -> None:
    """The answer is the node's own, to this question; what it printed can be read again."""
    transport = way({}, tmp_path)
    reply = transport.ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.answer is not None
    assert (reply.answer.instance_id, reply.answer.command) == (node(1), "probe")
    assert reply.answer.body["x"] == "y" * 50
    assert node(1) in reply.location


@pytest.mark.parametrize("how", [each for each in BEHAVIOURS if each != "well"])
def test_what_is_no_answer_is_a_problem_in_words(way, how: str, tmp_path: Path) -> None:
    """Empty, cut, foreign, stale, failed, hung, unknown: never an answer, and the problem says which."""
    reply = way({1: how}, tmp_path).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.answer is None
    assert re.search(WORDS[how], reply.problem)
    assert reply.unreachable is (how == "unknown")


@pytest.mark.parametrize(("how", "silent"), [("empty", True), ("traceback", True), ("cut", False)])
def test_a_program_that_printed_nothing_is_told_from_one_that_was_cut(
    way, how: str, silent: bool, tmp_path: Path
) -> None:
    """A node whose program is not there yet may be asked again; a broken answer is a finding."""
    reply = way({1: how}, tmp_path).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.silent is silent


def test_every_node_has_one_reply_in_the_order_asked_and_each_is_told_once(way, tmp_path: Path) -> None:
    """Nodes that are ill hold up none of the others."""
    behave = dict(enumerate(BEHAVIOURS, start=1))
    asked = [node(number) for number in reversed(behave)]
    seen: list[str] = []
    replies = way(behave, tmp_path).ask(
        instance_ids=asked, question=QUICK, on_reply=lambda reply: seen.append(reply.instance_id)
    )
    assert list(replies) == asked
    assert sorted(seen) == sorted(asked)
    assert [one for one in asked if replies[one].answer is not None] == [node(1)]


def test_nobody_is_asked_where_there_is_nobody(way, tmp_path: Path) -> None:
    """No nodes, no replies, and no call that would be refused."""
    assert way({}, tmp_path).ask(instance_ids=[], question=QUICK) == {}


def test_only_nodes_that_a_question_would_reach_are_online(way, tmp_path: Path) -> None:
    """Asked before a question, it says whom the question would reach."""
    assert way({2: "unknown"}, tmp_path).online([node(1), node(2)]) == {node(1)}


def test_two_questions_never_share_an_answer(way, tmp_path: Path) -> None:
    """Each has a nonce of its own, so that an earlier answer is never taken for a later one."""
    transport = way({}, tmp_path)
    replies = [transport.ask(instance_ids=[node(1)], question=QUICK)[node(1)] for _ in range(2)]
    first, second = (reply.answer for reply in replies)
    assert first is not None
    assert second is not None
    assert first.nonce != second.nonce


def test_time_passes_as_the_transport_says(way, tmp_path: Path) -> None:
    """Steps wait by the transport's own clock, which never goes back."""
    transport = way({}, tmp_path)
    before = transport.clock()
    transport.sleep(0.01)
    assert transport.clock() > before
