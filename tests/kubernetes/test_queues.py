"""Kueue's documents: valid, in whole nodes, and within the fleet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bedplate.kubernetes.counts import RESOURCES, node_offer
from bedplate.kubernetes.queues import queue_documents
from bedplate.kubernetes.queues.priorities import PRIORITIES, TRAINING, VALIDATION, pod_priorities
from bedplate.spec.orchestrator.kubernetes_team import KubernetesTeam
from bedplate.spec.orchestrator.shares import divide
from bedplate.spec.pools import Pool
from tests.kubernetes.pools import GB200, assert_valid, every_pool, pool

B200 = {"name": "b200", "instance_type": "p6-b200.48xlarge", "nodes": 4}


def team(name: str, gpus: int | None = None, **more: Any) -> KubernetesTeam:
    """A team; without a number of GPUs it has an equal part."""
    return KubernetesTeam(name=name, gpus=gpus, **more)


def of_kind(documents: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Documents of a kind by name."""
    return {each["metadata"]["name"]: each for each in documents if each["kind"] == kind}


def quotas(queue: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Nominal quotas by flavor and resource."""
    (group,) = queue["spec"]["resourceGroups"]
    return {
        each["name"]: {amount["name"]: amount["nominalQuota"] for amount in each["resources"]}
        for each in group["flavors"]
    }


@pytest.mark.parametrize("teams", [(), (team("red", 16), team("blue", borrows=False))], ids=["none", "two"])
def test_documents_are_valid(teams: tuple[KubernetesTeam, ...]) -> None:
    """Every document fits its CRD, with teams and without, and names no field that the CRD has not."""
    documents = queue_documents(pools=[pool(), pool(**B200), pool(**GB200)], teams=teams)
    assert len(documents) > 8
    for each in [*documents, *pod_priorities()]:
        assert_valid(each)


def test_an_unknown_field_is_found() -> None:
    """What holds the documents against the CRDs refuses a field that would be dropped in silence."""
    documents = queue_documents(pools=[pool()], teams=())
    queue = of_kind(documents, "ClusterQueue")["all"]
    assert_valid(queue)
    queue["spec"]["cohort"] = "of v1beta1"
    with pytest.raises(Exception, match="cohort"):
        assert_valid(queue)


def test_types_with_three_and_four_layers_have_topologies_of_their_own() -> None:
    """B200 has a fourth layer, GB200 its NVLink domain, and a flavor names the topology of its type."""
    documents = queue_documents(pools=[pool(), pool(**B200), pool(**GB200)], teams=())
    levels = {
        name: [level["nodeLabel"] for level in each["spec"]["levels"]]
        for name, each in of_kind(documents, "Topology").items()
    }
    named = {
        name: levels[each["spec"]["topologyName"]]
        for name, each in of_kind(documents, "ResourceFlavor").items()
    }
    layer = "topology.k8s.aws/network-node-layer-"
    assert named["h200"] == [f"{layer}1", f"{layer}2", f"{layer}3", "kubernetes.io/hostname"]
    assert named["b200"] == [*(f"{layer}{n}" for n in (1, 2, 3, 4)), "kubernetes.io/hostname"]
    assert named["gb200"] == ["nvidia.com/gpu.clique", "kubernetes.io/hostname"]


def test_teams_have_what_they_ask_for_and_equal_parts_of_the_rest() -> None:
    """One team asks for two nodes of eight; two others get three each; EFAs go with the GPUs."""
    documents = queue_documents(pools=[pool()], teams=[team("red"), team("blue", 16), team("green")])
    queues = of_kind(documents, "ClusterQueue")
    nodes = {
        name: quotas(each)["h200"]["nvidia.com/gpu"] // 8
        for name, each in queues.items()
        if name != VALIDATION
    }
    assert nodes == {"red": 3, "blue": 2, "green": 3}
    assert quotas(queues["blue"])["h200"]["vpc.amazonaws.com/efa"] == 2 * 16
    assert quotas(of_kind(documents, "Cohort")["bedplate"])["h200"]["nvidia.com/gpu"] == 0


def test_nodes_that_are_nobodys_are_the_cohorts() -> None:
    """What does not divide, or nobody asked for, can be borrowed."""
    documents = queue_documents(pools=[pool(nodes=7)], teams=[team("red"), team("blue")])
    assert quotas(of_kind(documents, "Cohort")["bedplate"])["h200"]["nvidia.com/gpu"] == 8


def test_a_team_that_does_not_borrow_has_a_limit_of_none() -> None:
    """``borrows: false`` limits every resource; a team that borrows has no limit."""
    documents = queue_documents(pools=[pool()], teams=[team("red", borrows=False), team("blue")])
    limits = {
        name: {
            amount.get("borrowingLimit")
            for amount in each["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
        }
        for name, each in of_kind(documents, "ClusterQueue").items()
    }
    assert limits["red"] == {0}
    assert limits["blue"] == {None}


def test_validation_owns_nothing_and_ends_nobodys_job() -> None:
    """Its queue has no quota, never preempts, and its priority is below what a job has without any."""
    documents = queue_documents(pools=[pool()], teams=[team("red")])
    queue = of_kind(documents, "ClusterQueue")[VALIDATION]
    assert set(quotas(queue)["h200"].values()) == {0, "0Gi", "0Mi"}
    assert set(queue["spec"]["preemption"].values()) == {"Never"}
    assert min(PRIORITIES.values()) == PRIORITIES[VALIDATION] < PRIORITIES[TRAINING] == 0
    assert {each["preemptionPolicy"] for each in pod_priorities()} == {"Never"}


def test_more_than_the_fleet_is_refused() -> None:
    """The message names the team, what it asks for, and what the teams before it left."""
    with pytest.raises(ValueError, match="team blue: 64 GPUs asked for, and 48 are there"):
        divide(pools=[pool()], teams=[team("red", 16), team("blue", 64)])


def test_parts_of_nodes_are_refused() -> None:
    """Twelve GPUs of nodes with eight are no whole nodes."""
    with pytest.raises(ValueError, match="team red: 12 GPUs asked for, which is no number of whole nodes"):
        divide(pools=[pool()], teams=[team("red", 12)])


def test_a_teams_name_is_not_validations() -> None:
    """Two queues of one name would be one."""
    with pytest.raises(ValueError, match="validation's own queue"):
        queue_documents(pools=[pool()], teams=[team(VALIDATION)])


def test_more_pools_than_a_queue_takes_are_refused() -> None:
    """Sixty-four pools fit the CRD, and one more is told before Kubernetes refuses it."""
    pools = [pool(name=f"pool{index}") for index in range(65)]
    for each in of_kind(queue_documents(pools=pools[:64], teams=()), "ClusterQueue").values():
        assert_valid(each)
    with pytest.raises(ValueError, match="65 pools: a queue of Kueue takes 64"):
        queue_documents(pools=pools, teams=())


def test_jobs_tolerate_neither_the_gate_nor_unfit_nodes() -> None:
    """A flavor tolerates the taint of GPU nodes alone."""
    (found,) = of_kind(queue_documents(pools=[pool()], teams=()), "ResourceFlavor").values()
    assert [each["key"] for each in found["spec"]["tolerations"]] == ["nvidia.com/gpu"]


_TYPES = [each.model_copy(update={"name": f"pool{index}"}) for index, each in enumerate(every_pool())]


@settings(max_examples=100, deadline=None)
@given(
    sizes=some.lists(some.tuples(some.sampled_from(_TYPES), some.integers(1, 300)), min_size=1, max_size=4),
    asked=some.lists(some.one_of(some.none(), some.integers(0, 400)), max_size=6),
)
def test_quotas_never_exceed_the_fleet(sizes: list[tuple[Pool, int]], asked: list[int | None]) -> None:
    """Whatever is asked for, quotas are whole nodes that add up to the fleet with what is shared, each team
    has the very number that it asked for, and teams without one have the same; or it is refused.
    """
    pools = [
        each.model_copy(update={"name": f"pool{index}", "nodes": nodes})
        for index, (each, nodes) in enumerate(sizes)
    ]
    teams = [team(f"team{index}", gpus) for index, gpus in enumerate(asked)]
    fleet = sum(each.max_nodes * node_offer(each).gpus for each in pools)
    fixed = sum(gpus or 0 for gpus in asked)
    largest = max(node_offer(each).gpus for each in pools)
    try:
        shares = divide(pools=pools, teams=teams)
    except ValueError:
        assert fixed > fleet or any((gpus or 0) % largest for gpus in asked)
        return
    assert fixed <= fleet
    for each in pools:
        given_out = [nodes[each.name] for nodes in shares.of_teams.values()]
        assert all(isinstance(nodes, int) and nodes >= 0 for nodes in [*given_out, shares.shared[each.name]])
        assert sum(given_out) + shares.shared[each.name] == each.max_nodes
    for one in teams:
        if one.gpus is not None:
            own = shares.of_teams[one.name]
            assert sum(own[each.name] * node_offer(each).gpus for each in pools) == one.gpus
    assert len({tuple(shares.of_teams[one.name].items()) for one in teams if one.gpus is None}) <= 1


def test_queues_cover_all_that_jobs_ask_for() -> None:
    """Kueue admits no job that asks for a resource that its queue does not cover."""
    for queue in of_kind(queue_documents(pools=every_pool(), teams=[team("red")]), "ClusterQueue").values():
        assert queue["spec"]["resourceGroups"][0]["coveredResources"] == list(RESOURCES)
        assert all(list(amounts) == list(RESOURCES) for amounts in quotas(queue).values())
