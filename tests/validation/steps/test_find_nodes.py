"""SIMULATED: which nodes there are, over answers made by hand."""

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.validation import discovery
from bedplate.validation.steps import find_nodes
from tests.validation.steps.small_cluster import POOL, context_of, instance, verdicts_of


def test_too_few_nodes_fail_the_cluster_with_the_number_missing(monkeypatch) -> None:
    """Three of four: NOD-001 of the cluster fails, and the checks between nodes stay required."""
    context = context_of(nodes=0)
    monkeypatch.setattr(
        discovery, "find_instances", lambda **_: tuple(instance(number) for number in range(3))
    )
    find_nodes.find_nodes(context)
    verdict = verdicts_of(context, "NOD-001")[()]
    assert verdict.outcome is Outcome.FAIL
    assert "1 of 4 nodes are missing" in verdict.summary
    assert {"NOD-001", "GPU-001", "DCG-002", "NCL-003", "FAB-001"} <= context.record.required


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("slurm-pcs", "node group h200 in the PCS console"),
        ("slurm-parallelcluster", "/var/log/parallelcluster/clustermgtd"),
        ("slurm-hyperpod", "SageMaker console"),
    ],
)
def test_the_place_to_look_is_that_of_the_orchestrator(kind: str, place: str, monkeypatch) -> None:
    """Each kind is told of its own service, and of no other."""
    context = context_of(nodes=0)
    made = context.record.manifest.orchestrator.model_copy(update={"kind": kind})
    context.record.manifest = context.record.manifest.model_copy(update={"orchestrator": made})
    monkeypatch.setattr(discovery, "find_instances", lambda **_: ())
    monkeypatch.setattr(discovery, "hyperpod_instances", lambda **_: ())
    find_nodes.find_nodes(context)
    remedy = verdicts_of(context, "NOD-001")[()].remedy
    assert place in remedy
    assert ("PCS" in remedy) == (kind == "slurm-pcs")


def test_enough_nodes_say_nothing_about_the_cluster(monkeypatch) -> None:
    """The number is no news where it is right."""
    context = context_of(nodes=0)
    monkeypatch.setattr(
        discovery, "find_instances", lambda **_: tuple(instance(number) for number in range(4))
    )
    find_nodes.find_nodes(context)
    assert context.record.verdicts == []
    assert len(context.record.nodes) == 4


@pytest.mark.parametrize(
    ("least", "most", "found", "told"),
    [
        (0, 16, 3, "Of pool h200 3 of at most 16 nodes are up. The 13 that Slurm launches"),
        (2, 16, 16, ""),
        (4, 4, 3, ""),
    ],
)
def test_nodes_of_a_pool_that_comes_and_goes_are_told_where_they_are_absent(
    monkeypatch, least: int, most: int, found: int, told: str
) -> None:
    """The run is about the nodes that are up, and its page says how many are not."""
    context = context_of(nodes=0)
    pool = context.record.manifest.pools[0].model_copy(
        update={"node_count_min": least, "node_count_max": most}
    )
    context.record.manifest = context.record.manifest.model_copy(update={"pools": [pool]})
    monkeypatch.setattr(discovery, "find_instances", lambda **_: tuple(map(instance, range(found))))
    find_nodes.find_nodes(context)
    assert [note[: len(told)] for note in context.record.notes] == ([told] if told else [])


def test_missing_nodes_of_a_block_say_when_it_has_any() -> None:
    """Before the begin and after EC2 took them there can be no nodes, so the remedy names the time."""
    from bedplate.validation.steps.find_nodes import _too_few

    times = {"capacity_start_time": "2026-07-01T11:30:00Z", "capacity_taken_time": "2026-07-15T11:00:00Z"}
    block = {"reservation_id": "cr-0123456789abcdef0", "capacity_end_time": "2026-07-15T11:30:00Z"}
    remedy = _too_few(POOL.model_copy(update={**times, **block}), 0, kind="slurm-pcs").remedy
    assert "cr-0123456789abcdef0 has nodes from 2026-07-01T11:30:00Z to 2026-07-15T11:00:00Z" in remedy
    assert "Capacity Block" not in _too_few(POOL, 0, kind="slurm-pcs").remedy
