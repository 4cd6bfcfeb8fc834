"""Plans carried out and undone on Kubernetes' nodes, by the same code as on Slurm's."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.errors import BedplateError
from bedplate.node.kubernetes.out_of_service import reason_on
from bedplate.validation.actions.model import ActionPlan
from bedplate.validation.actions.orchestrators.kubernetes import KubernetesCluster
from bedplate.validation.actions.perform import Performer
from bedplate.validation.actions.undo import undo
from bedplate.validation.instance import Instance
from tests.diagnosis import kubernetes_objects
from tests.diagnosis.kubernetes_objects import condition
from tests.validation.actions.acting import PLAN_ID, fail, instance, manifest, node, plan, run
from tests.validation.actions.fake_cluster import FakeJournals

from .played_api import PlayedApi

TRAINS = {"metadata": {"name": "train-0"}, "status": {"phase": "Running"}}


def _name(index: int) -> str:
    return f"ip-10-0-0-{index + 1}.internal"


def _node(index: int, **parts: Any) -> dict[str, Any]:
    return kubernetes_objects.node("p5en.48xlarge", name=_name(index), instance=node(index), **parts)


@dataclass
class World:
    """SIMULATED: four nodes of one node group, and a scaling group that fills an empty place."""

    parts: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.running: dict[str, Instance] = {node(i): instance(i) for i in range(4)}
        self.api = PlayedApi({_name(i): _node(i, **self.parts.get(i, {})) for i in range(4)})
        self.ended: list[dict[str, Any]] = []
        self.clock = 0.0
        clients: Any = SimpleNamespace(
            simulated=True,
            autoscaling=SimpleNamespace(terminate_instance_in_auto_scaling_group=self._end),
            sagemaker=SimpleNamespace(batch_replace_cluster_nodes=self._replace),
        )
        transport: Any = SimpleNamespace(clock=lambda: self.clock, sleep=self._sleep)
        self.cluster = _Cluster(clients, manifest(), transport, api=self.api, running=self.running)
        self.journals = FakeJournals()

    def _sleep(self, seconds: float) -> None:
        self.clock += seconds

    def _end(self, **request: Any) -> None:
        self.ended.append(request)
        del self.running[request["InstanceId"]]
        gone = next(name for name, each in self.api.nodes.items() if _instance(each) == request["InstanceId"])
        del self.api.nodes[gone]
        self.running[node(9)] = instance(9, launched_at=datetime.now(UTC))
        self.api.nodes[_name(9)] = _node(9)

    def _replace(self, **request: Any) -> dict[str, Any]:
        self.ended.append(request)
        return {"Successful": request["NodeIds"]}

    def carry_out(self, *faults: Any, mode: str = "drain") -> ActionPlan:
        """Plan by how things stand, and perform."""
        made = plan(run(*faults, nodes=4), on_failure=mode, now_live=self.cluster.live(), at_most_percent=100)
        return self.performer.perform(made)

    @property
    def performer(self) -> Performer:
        """Carries plans out here."""
        return Performer(self.cluster, self.journals, wait_seconds=600)  # type: ignore[arg-type]


@dataclass
class _Cluster(KubernetesCluster):
    running: dict[str, Instance] = field(kw_only=True)

    def instances(self, _pool: Any) -> tuple[Instance, ...]:
        return tuple(self.running.values())


def _instance(each: dict[str, Any]) -> str:
    return str(each["spec"]["providerID"]).rpartition("/")[2]


LOST = fail(1, "efa-device-lost")


def test_a_node_at_fault_is_taken_out_with_its_check_and_the_whole_reason() -> None:
    """Cordoned, tainted by the check, and read back; nothing is evicted, nobody else is touched."""
    world = World()
    done = world.carry_out(LOST)
    assert (done.actions[0].state, done.actions[0].slurm_name) == ("done", _name(1))
    assert "drained in Kubernetes" in done.actions[0].outcome
    found = world.api.nodes[_name(1)]
    assert found["spec"]["unschedulable"] is True
    assert found["spec"]["taints"][-1] == {
        "key": "bedplate.dev/unfit",
        "value": "efa-001",
        "effect": "NoSchedule",
    }
    assert reason_on(found) == f"bedplate {PLAN_ID}: efa-device-lost (EFA-001)"
    assert [name for name, _ in world.api.patches] == [_name(1)]


def test_an_undo_leaves_the_node_as_it_was() -> None:
    """But for its version."""
    world = World()
    before = world.api.get_node(_name(1))
    done = world.carry_out(LOST)
    undone = undo(plan=done, cluster=world.cluster, journals=world.journals)  # type: ignore[arg-type]
    assert undone.actions[0].state == "undone"
    after = world.api.nodes[_name(1)]
    assert after["spec"] == before["spec"]
    after["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"]
    assert after["metadata"] == before["metadata"]


@pytest.mark.parametrize(
    "theirs",
    [
        {"spec__unschedulable": True},
        {"spec__taints": [{"key": "bedplate.dev/unfit", "value": "mine", "effect": "NoSchedule"}]},
    ],
)
def test_a_node_that_a_person_keeps_out_is_left_alone(theirs: dict[str, Any]) -> None:
    """Neither a plan nor a change that comes after it writes over a cordon or a taint of theirs."""
    world = World({1: theirs})
    made = plan(run(LOST, nodes=4), now_live=world.cluster.live(), at_most_percent=100)
    assert [one.rule for one in made.left_alone] == ["held-by-others"]
    late = World()
    made = plan(run(LOST, nodes=4), now_live=late.cluster.live(), at_most_percent=100)
    late.api.nodes[_name(1)] = _node(1, **theirs)
    done = late.performer.perform(made)
    assert done.actions[0].state == "refused"
    assert late.api.nodes[_name(1)] == _node(1, **theirs)


def test_a_busy_node_is_cordoned_and_ended_only_when_it_is_empty() -> None:
    """Its pods are never evicted; a later call replaces it through its scaling group."""
    world = World()
    world.api.pods[_name(1)] = [TRAINS]
    done = world.carry_out(LOST, mode="replace")
    assert (done.actions[0].state, done.actions[0].waits_for) == ("waiting", "job")
    assert world.ended == []
    world.api.pods[_name(1)] = [{**TRAINS, "status": {"phase": "Succeeded"}}]
    later = world.performer.go_on(done)
    assert world.ended == [{"InstanceId": node(1), "ShouldDecrementDesiredCapacity": False}]
    assert (later.actions[0].state, later.actions[0].replaced_by) == ("done", node(9))


def test_a_node_that_was_put_back_meanwhile_is_not_ended() -> None:
    """Somebody took our taint and cordon off while its job ran."""
    world = World()
    world.api.pods[_name(1)] = [TRAINS]
    done = world.carry_out(LOST, mode="replace")
    world.api.nodes[_name(1)] = _node(1)
    world.api.pods.clear()
    later = world.performer.go_on(done)
    assert (later.actions[0].state, world.ended) == ("refused", [])


def test_a_conflict_is_read_anew_and_then_given_up() -> None:
    """A kubelet's write in between is no refusal; a node that changes each time is."""
    world = World()
    world.api.before_patch = _once(world)
    assert world.carry_out(LOST).actions[0].state == "done"
    world = World()
    world.api.before_patch = world.api.touch
    done = world.carry_out(LOST)
    assert done.actions[0].state == "refused"
    assert "409" in done.actions[0].outcome


def _once(world: World) -> Any:
    left = [1]

    def touch(name: str) -> None:
        if left:
            left.pop()
            world.api.touch(name)

    return touch


def test_a_node_name_with_another_instance_behind_it_is_not_touched() -> None:
    """The plan judged an instance, not a name."""
    world = World()
    made = plan(run(LOST, nodes=4), now_live=world.cluster.live(), at_most_percent=100)
    world.running[node(7)] = instance(7)
    world.api.nodes[_name(1)] = kubernetes_objects.node("p5en.48xlarge", name=_name(1), instance=node(7))
    done = world.performer.perform(made)
    assert done.actions[0].state == "refused"
    assert world.api.patches == []


def test_what_the_api_does_not_show_afterwards_was_not_done() -> None:
    """An answer of 200 alone is no proof."""
    world = World()
    world.api.forgets = True
    assert world.carry_out(LOST).actions[0].state == "failed"


def test_an_api_that_is_silent_stops_everything() -> None:
    """Nobody knows which nodes have jobs then."""
    world = World()
    world.api.is_silent = True
    with pytest.raises(BedplateError, match="connection refused") as refused:
        world.carry_out(LOST)
    assert refused.value.error_id == "ACT-003"


def test_a_node_that_is_not_ready_takes_no_jobs_and_counts_against_the_cap() -> None:
    """It is out of service whoever is the cause."""
    world = World({2: {"status__conditions": [condition("Ready", "Unknown")]}})
    assert world.cluster.live().out_of_service("h200") == 1


def test_on_hyperpod_the_service_replaces_its_own_node() -> None:
    """A scaling group of ours does not have it."""
    world = World()
    told = world.cluster.manifest
    orchestrator: Any = SimpleNamespace(kind="eks-hyperpod", cluster_name="bedplate-demo")
    world.cluster.manifest = told.model_copy(update={"orchestrator": orchestrator})
    world.cluster.terminate(node(1))
    assert world.ended == [{"ClusterName": "bedplate-demo", "NodeIds": [node(1)]}]
