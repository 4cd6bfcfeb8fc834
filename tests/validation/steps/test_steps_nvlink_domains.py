"""SIMULATED: on an UltraServer NVLink and EFA are run and judged apart, domain by domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.manifest import PoolManifest
from bedplate.validation.steps import collective_tests
from bedplate.validation.steps.between_nodes import check_between_nodes
from bedplate.validation.steps.context import Context
from tests.validation.steps.simulated_runs import SimulatedRuns
from tests.validation.steps.small_cluster import POOL, context_of, verdicts_of

GB200 = "p6e-gb200.36xlarge"


def _run(
    *, domains: Sequence[str], collectives: Sequence[str] = ("all_reduce",), kept_out: int = 0, **how: Any
) -> tuple[Context, SimulatedRuns]:
    size = len(domains)
    runs = SimulatedRuns(size=size, kind=GB200, **how)
    context = context_of({"run-jobs": runs}, nodes=size)
    pool = PoolManifest.model_validate(
        {
            **POOL.model_dump(),
            "instance_type": GB200,
            "node_count_min": size,
            "node_count_max": size,
            "expected_gpus_per_node": 4,
            "expected_efas_per_node": 4,
        }
    )
    wanted = context.record.manifest.validation.model_copy(update={"collectives": list(collectives)})
    context.record.manifest = context.record.manifest.model_copy(
        update={"pools": [pool], "validation": wanted}
    )
    for index, node in enumerate(context.record.nodes):
        node.pool, node.nvlink_domain = pool, domains[index]
        node.why_not_loaded = "a job runs on it" if index < kept_out else ""
    check_between_nodes(context)
    return context, runs


def _outcomes(context: Context, check: str) -> list[tuple[Outcome, str]]:
    return [(each.outcome, each.basis) for each in context.record.verdicts if each.check_id == check]


def test_a_whole_rack_passes_over_nvlink_and_over_efa_each_by_its_own_figures() -> None:
    """18 nodes: a figure for 72 GPUs over NVLink, groups of 4 over EFA."""
    context, runs = _run(domains=["rack-1"] * 18)
    assert _outcomes(context, "NCL-004") == [(Outcome.PASS, "published")]
    # The one that was asked for, and the search's.
    assert _outcomes(context, "NCL-003") == [(Outcome.PASS, "relative")] * 2
    assert _outcomes(context, "NCL-002") == [(Outcome.PASS, "")] * 2
    paths = {(each.scope, each.path) for each in context.record.bandwidths}
    assert paths == {("pair", "efa"), ("group", "efa"), ("all-nodes", "efa"), ("nvlink-domain", "nvlink")}
    over = {each.path: each.busbw_gb_per_s for each in context.record.bandwidths if len(each.nodes) == 18}
    assert over["nvlink"] > 4 * over["efa"]
    assert runs.launched.count(("all_reduce", 18)) == 2


def test_a_collective_without_a_figure_for_the_rack_is_held_to_groups_over_nvlink() -> None:
    """All-gather was published for 4 nodes: groups of 4, in the same domain, are the measure."""
    context, _ = _run(domains=["rack-1"] * 18, collectives=("all_gather",))
    ((outcome, basis),) = _outcomes(context, "NCL-004")
    assert (outcome, basis) == (Outcome.PASS, "relative")
    groups = [each for each in context.record.bandwidths if each.scope == "group" and each.path == "nvlink"]
    assert {len(each.nodes) for each in groups} == {4}


def test_each_domain_is_run_by_itself() -> None:
    """Two racks of 4: no collective asks for NVLink between them."""
    context, _ = _run(domains=["rack-1"] * 4 + ["rack-2"] * 4)
    domains = [set(each.nodes) for each in context.record.bandwidths if each.scope == "nvlink-domain"]
    assert [len(nodes) for nodes in domains] == [4, 4, 4, 4]  # two sizes each
    assert len(_outcomes(context, "NCL-004")) == 2


def test_imex_that_is_down_fails_nvlink_and_not_efa(monkeypatch: pytest.MonkeyPatch) -> None:
    """One node's service: the domain fails with its cause, EFA passes all the same."""
    monkeypatch.setattr(collective_tests, "settle", lambda *_: None)
    context, _ = _run(domains=["rack-1"] * 4, faults={2: ("imex-down", {})})
    failed = verdicts_of(context, "NCL-004")[()]
    assert (failed.outcome, failed.cause) == (Outcome.FAIL, "nvlink-domain-off")
    assert _outcomes(context, "NCL-003") == [(Outcome.PASS, "published")] * 2


def test_slow_nvlinks_of_one_node_fail_the_domain() -> None:
    """Half of one node's NVLinks is half of the domain's bandwidth, and nothing to EFA."""
    context, _ = _run(domains=["rack-1"] * 4, faults={1: ("nvlink-slow", {"speed": 0.5})})
    assert _outcomes(context, "NCL-004") == [(Outcome.FAIL, "published")]


@pytest.mark.parametrize(
    ("domains", "kept_out", "outcomes"),
    [
        (["rack-1"] * 5, 1, [Outcome.NOT_TESTED]),
        (["rack-1"] * 3, 2, []),
        (["rack-1", "rack-1", "rack-1", ""], 0, [Outcome.ERROR]),
        ([""] * 4, 0, [Outcome.PASS]),
    ],
)
def test_what_was_not_run_over_all_nodes_of_a_domain_is_no_pass(
    domains: Sequence[str], kept_out: int, outcomes: Sequence[Outcome]
) -> None:
    """One kept out; one alone, of whom the end of the run says that it was not made; unknown beside known.
    Where none tells and one UltraServer holds all, it is one domain.
    """
    context, _ = _run(domains=domains, kept_out=kept_out)
    assert [each for each, _ in _outcomes(context, "NCL-004")] == outcomes
