"""SIMULATED: VER-001 for each node and VER-002 for the pool, from what the other steps have kept."""

from __future__ import annotations

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation.record import not_made
from bedplate.validation.steps.context import Context
from bedplate.validation.steps.judge_versions import judge_versions
from bedplate.validation.steps.search_fabric import candidates
from tests.validation.steps.small_cluster import context_of, name, verdicts_of

PROBED = {
    "nvidia-driver": "570.172.08",
    "efa-driver": "2.17.2g",
    "efa-installer": "1.43.2",
    "libfabric": "2.1.0amzn5.0",
}
OF_NCCL = {"nccl": "2.27.7", "aws-ofi-nccl": "1.16.3", "libfabric-api": "2.1"}


def _context(*, nodes: int = 4) -> Context:
    context = context_of(nodes=nodes)
    for node in context.record.nodes:
        node.versions, node.nccl_versions = dict(PROBED), dict(OF_NCCL)
    return context


def _outcomes(context: Context) -> tuple[list[str], str]:
    judge_versions(context)
    nodes = verdicts_of(context, "VER-001")
    ids = [node.node for node in context.record.nodes]
    return [nodes[(each,)].outcome.value for each in ids], verdicts_of(context, "VER-002")[()].outcome.value


def test_nodes_that_carry_the_same_pass_alone_and_together() -> None:
    """One verdict a node, one for the pool."""
    assert _outcomes(_context()) == (["pass"] * 4, "pass")


def test_an_odd_driver_fails_the_pool_and_no_node() -> None:
    """Which of the two is right the engine cannot say: it is the cluster's."""
    context = _context()
    context.record.nodes[3].versions["nvidia-driver"] = "580.95.05"
    assert _outcomes(context) == (["pass"] * 4, "fail")
    assert name(3) in verdicts_of(context, "VER-002")[()].excerpt


def test_a_node_that_the_table_names_is_not_blamed_on_the_pool_too() -> None:
    """One fault, one name; what is left is not all."""
    context = _context()
    context.record.nodes[2].nccl_versions["aws-ofi-nccl"] = "1.12.0"
    assert _outcomes(context) == (["pass", "pass", "fail", "pass"], "not-tested")


def test_a_node_that_did_not_answer_is_an_error_and_leaves_the_pool_open() -> None:
    """Silence is not sameness."""
    context = _context()
    context.record.nodes[0].answered = False
    context.record.nodes[0].versions = {}
    context.record.nodes[0].nccl_versions = {}
    context.record.nodes[0].why_not_loaded = "it did not answer the probe: cut"
    assert _outcomes(context) == (["error", "pass", "pass", "pass"], "not-tested")
    assert "cut" in verdicts_of(context, "VER-001")[(name(0),)].summary


def test_a_node_that_was_not_exercised_leaves_both_open() -> None:
    """A busy node did not run NCCL, so nobody knows which it has."""
    context = _context()
    context.record.nodes[1].nccl_versions = {}
    assert _outcomes(context) == (["pass", "not-tested", "pass", "pass"], "not-tested")


def test_a_pool_of_one_is_compared_with_nothing() -> None:
    """VER-002 is not owed by one node."""
    context = _context(nodes=1)
    pool = context.record.nodes[0].pool.model_copy(update={"node_count_min": 1})
    context.record.nodes[0].pool = pool
    context.record.manifest = context.record.manifest.model_copy(update={"pools": [pool]})
    judge_versions(context)
    assert verdicts_of(context, "VER-001")[(name(0),)].outcome is Outcome.PASS
    assert verdicts_of(context, "VER-002") == {}


def test_a_setting_that_shows_nowhere_else_keeps_no_node_from_the_search() -> None:
    """A fleet without huge pages would be left without any test of its network; old software is kept out."""
    context = _context()
    failed = {0: "NOD-003", 1: "CLK-001", 2: "VER-001", 3: "EFA-002"}
    context.record.add(
        not_made(check_id=check, outcome=Outcome.FAIL, why="it failed", node=name(number))
        for number, check in failed.items()
    )
    assert list(candidates(context, context.record.nodes)) == [name(0), name(1)]
