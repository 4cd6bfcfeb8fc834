"""Pods of the played cluster wait and are placed as the default scheduler would place them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client, config

from bedplate.kubernetes.validation.placement import placed
from bedplate.sandbox.kubernetes.cluster import Cluster

TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists"}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster in which nothing happens but by steps."""
    with Cluster(stepped=True) as opened:
        yield opened


@pytest.fixture
def core(cluster: Cluster) -> Iterator[client.CoreV1Api]:
    """The official client."""
    with config.new_client_from_config_dict(cluster.server.kubeconfig()) as found:
        yield client.CoreV1Api(found)


def add_node(core: client.CoreV1Api, name: str, *, gpus: int = 8, efas: int = 32, **spec: Any) -> None:
    """A node with its devices."""
    offered = {"cpu": "192", "memory": "2Ti", "nvidia.com/gpu": str(gpus), "hugepages-2Mi": "10Gi"}
    offered["vpc.amazonaws.com/efa"] = str(efas)
    core.create_node(
        {
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "spec": spec,
            "status": {"allocatable": offered, "capacity": offered},
        }
    )


def add_pod(core: client.CoreV1Api, name: str, limits: dict[str, str] | None = None, **spec: Any) -> None:
    """A pod of one container."""
    container = {"name": "main", "image": "a", "resources": {"limits": limits or {}}}
    core.create_namespaced_pod(
        "default", {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}
    )


def place(core: client.CoreV1Api, name: str) -> tuple[str | None, str | None]:
    """(node, message of PodScheduled)."""
    pod = core.read_namespaced_pod(name, "default")
    conditions = {one.type: one for one in pod.status.conditions or ()}
    return pod.spec.node_name, conditions["PodScheduled"].message


def test_a_pod_that_fits_nowhere_says_why(cluster: Cluster, core: client.CoreV1Api) -> None:
    """Pending, PodScheduled False by Unschedulable, with the reasons of all nodes counted; and an event."""
    add_node(core, "a", gpus=4)
    for name in ("b", "c", "d"):
        add_node(core, name, taints=[{**TAINT, "key": "bedplate.dev/gate", "value": "waiting"}])
    add_pod(core, "p", {"nvidia.com/gpu": "8"})
    for _ in range(2):
        cluster.step()
    pod = core.read_namespaced_pod("p", "default")
    (condition,) = pod.status.conditions
    assert (pod.status.phase, condition.status, condition.reason) == ("Pending", "False", "Unschedulable")
    assert condition.message == (
        "0/4 nodes are available: 1 Insufficient nvidia.com/gpu, "
        "3 node(s) had untolerated taint {bedplate.dev/gate: waiting}. preemption: 0/4 nodes are available: "
        "1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling."
    )
    (event,) = core.list_namespaced_event("default", field_selector="involvedObject.name=p").items
    assert (event.type, event.reason, event.message) == ("Warning", "FailedScheduling", condition.message)


def test_devices_are_counted_down(cluster: Cluster, core: client.CoreV1Api) -> None:
    """GPUs, EFAs and huge pages of running pods are taken; those of pods that ended are free again."""
    add_node(core, "a")
    for name, limits in (
        ("p1", {"nvidia.com/gpu": "8"}),
        ("p2", {"nvidia.com/gpu": "1"}),
        ("p3", {"vpc.amazonaws.com/efa": "33"}),
        ("p4", {"hugepages-2Mi": "5Gi", "cpu": "100", "memory": "1Ti"}),
        ("p5", {"cpu": "93"}),
    ):
        add_pod(core, name, limits)
    cluster.step()
    assert [place(core, name)[0] for name in ("p1", "p2", "p3", "p4", "p5")] == ["a", None, None, "a", None]
    assert "1 Insufficient vpc.amazonaws.com/efa" in (place(core, "p3")[1] or "")
    assert "1 Insufficient cpu" in (place(core, "p5")[1] or "")
    core.patch_namespaced_pod_status("p1", "default", {"status": {"phase": "Succeeded"}})
    cluster.step()
    assert place(core, "p2")[0] == "a"


def test_selectors_affinity_tolerations_and_cordons(cluster: Cluster, core: client.CoreV1Api) -> None:
    """A pod goes where its selector, affinity and tolerations let it, never to a cordoned node."""
    add_node(core, "a", unschedulable=True)
    add_node(core, "b", taints=[TAINT])
    add_node(core, "c")

    def affinity(*names: str) -> dict[str, Any]:
        expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": list(names)}
        terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}

    add_pod(core, "free")
    add_pod(core, "picked", nodeSelector={"kubernetes.io/hostname": "b"}, tolerations=[TOLERATION])
    add_pod(core, "affine", affinity=affinity("a", "b"), tolerations=[TOLERATION])
    add_pod(core, "stuck", affinity=affinity("a"))
    cluster.step()
    assert [place(core, name)[0] for name in ("free", "picked", "affine", "stuck")] == ["c", "b", "b", None]
    message = place(core, "stuck")[1] or ""
    for reason in (
        "1 node(s) were unschedulable",
        "1 node(s) had untolerated taint {nvidia.com/gpu: present}",
        "1 node(s) didn't match Pod's node affinity/selector",
    ):
        assert reason in message
    core.patch_node("a", {"spec": {"unschedulable": None}})
    cluster.step()
    assert place(core, "stuck")[0] == "a"


def test_a_pod_behind_a_gate_waits_and_may_be_told_its_node(cluster: Cluster, core: client.CoreV1Api) -> None:
    """Its node affinity is set and its gate lifted in one patch; nothing else of it may change."""
    for name in ("a", "b"):
        add_node(core, name)
    add_pod(core, "gated", schedulingGates=[{"name": "bedplate.dev/place"}])
    cluster.step()
    assert core.read_namespaced_pod("gated", "default").spec.node_name is None
    for patch in (
        {"spec": {"hostNetwork": True}},
        {"spec": {"schedulingGates": [{"name": "bedplate.dev/place"}, {"name": "x/y"}]}},
        {"spec": {**placed("b")["spec"], "priority": 7}},
    ):
        with pytest.raises(client.ApiException) as refused:
            core.patch_namespaced_pod("gated", "default", patch)
        assert refused.value.status == 422
    core.patch_namespaced_pod("gated", "default", placed("b"))
    with pytest.raises(client.ApiException):
        core.patch_namespaced_pod("gated", "default", placed("a"))
    cluster.step()
    assert core.read_namespaced_pod("gated", "default").spec.node_name == "b"
