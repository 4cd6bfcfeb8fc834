"""Asking through Kubernetes: who is asked, that it is once, what is told of the others, and what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.node.kubernetes.names import GATE_TAINT, GPU_TAINT
from bedplate.validation.transports.kubernetes.client import CONFIG_MAPS, EVENTS, JOBS, NODES, PODS
from bedplate.validation.transports.kubernetes.limits import KubernetesLimits
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.question import Question
from tests.validation.transports.kubernetes.played_cluster import (
    PlayedCluster,
    node_name,
    node_object,
    transport_over,
)
from tests.validation.transports.test_ssm_transport import node

QUICK = Question("probe", deadline_seconds=5)
LOAD = Question("exercise", deadline_seconds=5)
CORDONED = "node.kubernetes.io/unschedulable"


def _cluster(count: int, **behave: str) -> PlayedCluster:
    return PlayedCluster({node(at): behave.get(f"n{at}", "well") for at in range(1, count + 1)})


def _left(cluster: PlayedCluster) -> list[str]:
    """What of ours is still there, the PriorityClass aside."""
    return [key for key in cluster.objects if key.startswith((JOBS, PODS, CONFIG_MAPS))]


def _taint(key: str, effect: str = "NoSchedule") -> dict[str, Any]:
    return {
        "spec": {"providerID": f"aws:///us-west-2a/{node(1)}", "taints": [{"key": key, "effect": effect}]}
    }


def test_one_job_has_an_index_a_node_and_each_node_one_pod() -> None:
    """The index is the node's place among those asked; nothing of it is left afterwards."""
    cluster = _cluster(3)
    asked = [node(at) for at in (3, 1, 2)]
    replies = transport_over(cluster).ask(instance_ids=asked, question=QUICK)
    assert all(reply.answer is not None for reply in replies.values())
    assert [path for verb, path in cluster.calls if verb == "create" and path == JOBS] == [JOBS]
    by_index = sorted((name.split("-")[3], place) for name, place in cluster.placements)
    assert by_index == [(str(index), node_name(one)) for index, one in enumerate(asked)]
    assert _left(cluster) == []


def test_a_pod_in_place_of_a_lost_one_stays_behind_its_gate() -> None:
    """A node is never asked twice by one question, whatever the Job makes anew."""
    cluster = _cluster(1, n1="never")

    def lose(_seconds: float) -> None:
        for pod in cluster.at(PODS):
            if pod["spec"].get("nodeName") and not pod["metadata"]["name"].endswith("-anew"):
                cluster.delete(f"{PODS}/{pod['metadata']['name']}")
                anew = {**pod, "metadata": {**pod["metadata"], "name": "pod-anew"}}
                anew["spec"] = {**pod["spec"], "schedulingGates": [{"name": "x"}]}
                anew["spec"].pop("nodeName")
                anew["status"] = {"phase": "Pending"}
                cluster.add(PODS, anew)

    reply = transport_over(cluster, sleep=lose).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert "its pod was deleted" in reply.problem
    assert len(cluster.placements) == 1
    assert [path for verb, path in cluster.calls if verb == "patch"] != [f"{PODS}/pod-anew"]


def test_a_pod_that_is_not_placed_is_told_of_in_the_scheduler_s_words() -> None:
    """Within its own deadline, and taken away so that it does not come later; the others are not held up."""
    cluster = _cluster(2)
    message = "0/9 nodes are available: 1 Insufficient nvidia.com/gpu, 8 node(s) didn't match affinity."
    cluster.unplaced[node_name(node(1))] = message
    order: list[str] = []
    replies = transport_over(cluster).ask(
        instance_ids=[node(1), node(2)],
        question=QUICK,
        on_reply=lambda reply: order.append(reply.instance_id),
    )
    assert replies[node(1)].problem == f"Kubernetes did not place its pod within 1 s: {message}"
    assert not replies[node(1)].unreachable
    assert replies[node(2)].answer is not None
    assert order == [node(2), node(1)]
    assert _left(cluster) == []


def test_an_image_that_cannot_be_pulled_is_told_of() -> None:
    """With the kubelet's own reason."""
    cluster = _cluster(1)

    def stuck(pod: dict[str, Any]) -> None:
        waiting = {"reason": "ImagePullBackOff", "message": "not found"}
        pod["status"]["containerStatuses"] = [{"name": "bedplate", "state": {"waiting": waiting}}]

    cluster.edit = stuck
    reply = transport_over(cluster).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.problem == "Kubernetes did not start its pod within 1 s: ImagePullBackOff: not found"
    assert _left(cluster) == []


def test_a_job_that_may_make_no_pods_is_told_of_with_its_event() -> None:
    """A namespace that admits no privileged pods makes none, and the Job only says so in an event."""
    cluster = _cluster(1)
    cluster._control = lambda _job: None
    told = {"type": "Warning", "message": 'violates PodSecurity "baseline:latest"'}
    cluster.add(EVENTS, {"metadata": {"name": "e"}, **told})
    limits = KubernetesLimits(made=0.1, first_pause=0.05)
    reply = transport_over(cluster, limits=limits).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert 'made no pod for it within 0 s: violates PodSecurity "baseline:latest"' in reply.problem


@pytest.mark.parametrize(
    ("changes", "told", "unreachable"),
    [
        (
            {
                "ready": {
                    "type": "Ready",
                    "status": "Unknown",
                    "reason": "NodeStatusUnknown",
                    "message": "gone",
                }
            },
            "not online: Kubernetes says that it is not ready (NodeStatusUnknown: gone)",
            True,
        ),
        (_taint(GATE_TAINT), f"has the taint {GATE_TAINT}", False),
        (_taint(CORDONED), f"has the taint {CORDONED}", False),
        (_taint("team", "NoExecute"), "has the taint team", False),
        ({"os_image": "Bottlerocket OS 1.50.0 (aws-k8s-1.35-nvidia)"}, "no Python that could answer", False),
    ],
)
def test_a_node_that_is_not_to_be_asked_is_told_of_and_gets_no_pod(
    changes: dict[str, Any], told: str, unreachable: bool
) -> None:
    """Only one that no pod could reach is unreachable, which is a fault: a taint is none."""
    cluster = _cluster(2)
    cluster.add(NODES, node_object(node(1), **changes))
    transport = transport_over(cluster)
    assert transport.online([node(1), node(2)]) == {node(2)}
    replies = transport.ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert told in replies[node(1)].problem
    assert replies[node(1)].unreachable is unreachable
    assert [place for _, place in cluster.placements] == [node_name(node(2))]


@pytest.mark.parametrize("changes", [_taint(GATE_TAINT), _taint(GPU_TAINT), _taint("x", "PreferNoSchedule")])
def test_tainted_nodes_are_asked_by_choice(changes: dict[str, Any]) -> None:
    """The taint of GPU nodes always, another where it is named, a mere wish never counts."""
    cluster = _cluster(1)
    cluster.add(NODES, node_object(node(1), **changes))
    transport = transport_over(cluster, taints=(GPU_TAINT, GATE_TAINT))
    assert transport.ask(instance_ids=[node(1)], question=QUICK)[node(1)].answer is not None


def _holder(instance_id: str, gpus: str = "8", phase: str = "Running") -> dict[str, Any]:
    requests = {"requests": {"nvidia.com/gpu": gpus}}
    return {
        "metadata": {"name": "train-0", "namespace": "pretraining"},
        "spec": {"nodeName": node_name(instance_id), "containers": [{"resources": requests}]},
        "status": {"phase": phase},
    }


def test_a_node_whose_gpus_others_hold_is_looked_at_and_never_loaded() -> None:
    """A probe runs beside a job; a load names whose the GPUs are. A job that has ended holds none."""
    cluster = _cluster(3)
    cluster.add("/api/v1/namespaces/pretraining/pods", _holder(node(1)))
    ended = _holder(node(2), phase="Succeeded")
    ended["metadata"]["name"] = "train-1"
    cluster.add("/api/v1/namespaces/pretraining/pods", ended)
    asked = [node(at) for at in (1, 2, 3)]
    transport = transport_over(cluster)
    assert transport.ask(instance_ids=asked, question=QUICK)[node(1)].answer is not None
    cluster.placements.clear()
    replies = transport.ask(instance_ids=asked, question=LOAD)
    assert replies[node(1)].problem == "it was not loaded: GPUs of it are asked for by pretraining/train-0"
    assert sorted(place for _, place in cluster.placements) == [node_name(node(2)), node_name(node(3))]


def test_a_node_that_offers_31_of_32_efas_is_named_and_never_loaded() -> None:
    """Its pod would wait for the last one for ever."""
    cluster = _cluster(1)
    cluster.add(NODES, node_object(node(1), allocatable={"vpc.amazonaws.com/efa": "31"}))
    reply = transport_over(cluster).ask(instance_ids=[node(1)], question=LOAD)[node(1)]
    assert reply.problem == "it was not loaded: it offers 31 vpc.amazonaws.com/efa, its type has 32"


def test_a_load_holds_all_gpus_and_efas_of_its_node_and_a_look_none() -> None:
    """So that no job comes beside the load."""
    cluster = _cluster(1)
    limits: list[dict[str, str]] = []
    cluster.edit = lambda pod: limits.append(pod["spec"]["containers"][0]["resources"]["limits"])
    transport = transport_over(cluster)
    for question in (QUICK, LOAD):
        assert transport.ask(instance_ids=[node(1)], question=question)[node(1)].answer is not None
    assert limits == [{}, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}]


def _raises(error: BaseException) -> Callable[[float], None]:
    """When the programs run: the first pauses are for the pods to be made and placed."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) > 3:
            raise error

    return pause


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ClusterRefused("no", status=0)])
def test_an_interruption_leaves_nothing_in_the_cluster(error: BaseException) -> None:
    """The Job with its pods, and the program; what went wrong first is what is told."""
    cluster = _cluster(2, n1="never", n2="never")
    with pytest.raises(type(error)):
        transport_over(cluster, sleep=_raises(error)).ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert len(cluster.placements) == 2
    assert _left(cluster) == []


def test_a_refusal_while_pods_are_bound_leaves_nothing_either() -> None:
    """Half of the nodes may have begun."""
    cluster = _cluster(3, n1="never")
    patches: list[str] = []

    def second(verb: str, path: str) -> int:
        if verb == "patch":
            patches.append(path)
        return 403 if len(patches) == 2 and verb == "patch" else 0

    cluster.refuse = second
    with pytest.raises(ClusterRefused) as caught:
        transport_over(cluster).ask(instance_ids=[node(at) for at in (1, 2, 3)], question=QUICK)
    assert caught.value.error_id == "KAP-002"
    assert _left(cluster) == []


def test_what_a_run_that_was_cut_off_left_is_deleted_before_the_first_question() -> None:
    """By its label, whichever run's it is; what others have made stays."""
    cluster = _cluster(1)
    ours = {"bedplate.dev/part": "validation", "bedplate.dev/run": "an-earlier-one"}
    job = {"metadata": {"name": "left", "labels": ours}, "spec": {"completions": 0}}
    cluster.add(JOBS, job)
    cluster.add(JOBS, {"metadata": {"name": "theirs"}, "spec": {"completions": 0}})
    cluster.add(CONFIG_MAPS, {"metadata": {"name": "left", "labels": ours}})
    reply = transport_over(cluster).ask(instance_ids=[node(1)], question=QUICK)[node(1)]
    assert reply.answer is not None
    assert _left(cluster) == [f"{JOBS}/theirs"]


def test_what_a_node_printed_is_kept_whole() -> None:
    """Whatever it is worth."""
    kept: dict[str, str] = {}

    def store(name: str, text: str) -> str:
        kept[name] = text
        return f"s3://results/{name}"

    cluster = _cluster(2, n2="cut")
    replies = transport_over(cluster, store=store).ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert sorted(name.rpartition("/")[2] for name in kept) == [f"{node(1)}.txt", f"{node(2)}.txt"]
    assert {reply.location.removeprefix("s3://results/") for reply in replies.values()} == kept.keys()


def test_a_log_that_cannot_be_read_is_an_error_of_that_node_alone() -> None:
    """Its kubelet may not answer; the others have."""
    cluster = _cluster(2)
    cluster.refuse = lambda verb, path: 500 if verb == "log" and "-0-0-" in path else 0
    replies = transport_over(cluster).ask(instance_ids=[node(1), node(2)], question=QUICK)
    assert "its log cannot be read" in replies[node(1)].problem
    assert replies[node(2)].answer is not None
