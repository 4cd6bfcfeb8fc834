"""Pods of the played cluster run real processes, and end in the ways that pods end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from bedplate.sandbox.kubernetes.cluster import Cluster
from bedplate.sandbox.kubernetes.pod_faults import PodFault
from bedplate.sandbox.kubernetes.runner import answering
from bedplate.sandbox.kubernetes.schemas import schema_problems


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster that lives by itself, with one node."""
    with Cluster() as opened:
        yield opened


@pytest.fixture
def core(cluster: Cluster) -> Iterator[client.CoreV1Api]:
    """The official client, with a node that takes pods."""
    with config.new_client_from_config_dict(cluster.server.kubeconfig()) as found:
        api = client.CoreV1Api(found)
        api.create_node({"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "8"}}})
        yield api


def start(core: client.CoreV1Api, name: str, script: str, **container: Any) -> None:
    """A pod that runs a shell script."""
    main = {"name": "main", "image": "a", "command": ["sh", "-c", script], **container}
    spec = {"restartPolicy": "Never", "containers": [main]}
    core.create_namespaced_pod("default", {"metadata": {"name": name}, "spec": spec})


def eventually(look: Callable[[], Any], timeout_s: float = 20) -> Any:
    """The first true answer."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


def in_phase(core: client.CoreV1Api, name: str, *phases: str) -> Any:
    """The pod once it is in one of the phases."""

    def look() -> Any:
        pod = core.read_namespaced_pod(name, "default")
        return pod if pod.status.phase in phases else None

    return eventually(look)


def state(pod: Any) -> Any:
    """Of its first container."""
    return pod.status.container_statuses[0].state


def test_a_pod_runs_its_command(core: client.CoreV1Api) -> None:
    """The command is a real process, its exit code is the container's, and what it printed is the log."""
    start(core, "good", "echo one; echo two; echo three >&2")
    start(core, "bad", "echo no; exit 3")
    assert state(in_phase(core, "good", "Succeeded")).terminated.exit_code == 0
    assert core.read_namespaced_pod_log("good", "default") == "one\ntwo\nthree\n"
    assert core.read_namespaced_pod_log("good", "default", tail_lines=1, container="main") == "three\n"
    ended = state(in_phase(core, "bad", "Failed")).terminated
    assert (ended.exit_code, ended.reason) == (3, "Error")
    with pytest.raises(client.ApiException) as error:
        core.read_namespaced_pod_log("good", "default", previous=True)
    assert "does not play the log option previous" in error.value.body


def test_a_pod_has_the_environment_that_it_asks_for(core: client.CoreV1Api) -> None:
    """Values, fields of the pod, keys of secrets and whole config maps; nothing of this process leaks."""
    core.create_namespaced_config_map("default", {"metadata": {"name": "m"}, "data": {"SIZE": "big"}})
    core.create_namespaced_secret("default", {"metadata": {"name": "s"}, "data": {"key": "aGlkZGVu"}})
    env = [
        {"name": "WHERE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "WORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "key"}}},
        {"name": "BOTH", "value": "$(WHERE)-$(SIZE)"},
    ]
    script = "echo $WHERE $WORD $BOTH $(NAME) ${USER:-nobody}"
    start(core, "p", script, env=env, envFrom=[{"configMapRef": {"name": "m"}}])
    in_phase(core, "p", "Succeeded", "Failed")
    assert "n hidden n-big" in core.read_namespaced_pod_log("p", "default")
    assert core.read_namespaced_pod_log("p", "default").rstrip().endswith("nobody")
    start(core, "q", "true", env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "none", "key": "k"}}}])
    held = eventually(
        lambda: (pod := core.read_namespaced_pod("q", "default")).status.container_statuses and pod
    )
    assert (held.status.phase, state(held).waiting.reason) == ("Pending", "CreateContainerConfigError")


def test_a_deleted_pod_takes_its_processes_along(core: client.CoreV1Api, tmp_path: Path) -> None:
    """A delete of a running pod ends the whole process group; then the pod is gone."""
    start(core, "p", f"sleep 60 & echo $! > {tmp_path}/child; echo ready; wait")
    eventually(lambda: "ready" in (in_phase(core, "p", "Running") and _log(core, "p")))
    marked = core.delete_namespaced_pod("p", "default")
    assert marked.metadata.deletion_timestamp is not None
    eventually(lambda: not core.list_namespaced_pod("default").items)
    child = int((tmp_path / "child").read_text())
    eventually(lambda: not _alive(child))


def test_a_pod_that_is_evicted_fails(cluster: Cluster, core: client.CoreV1Api) -> None:
    """A node under pressure fails the pod by the reason Evicted and ends its processes."""
    start(core, "p", "sleep 60")
    in_phase(core, "p", "Running")
    cluster.kubelet.evict("default", "p", "The node was low on resource: ephemeral-storage.")
    pod = in_phase(core, "p", "Failed")
    assert (pod.status.reason, "ephemeral-storage" in pod.status.message) == ("Evicted", True)
    ended = eventually(lambda: state(core.read_namespaced_pod("p", "default")).terminated)
    assert ended.exit_code == 143


def test_an_eviction_that_is_asked_for_deletes_the_pod(core: client.CoreV1Api) -> None:
    """The eviction of a drain is a delete."""
    start(core, "p", "sleep 60")
    in_phase(core, "p", "Running")
    core.create_namespaced_pod_eviction("p", "default", {"metadata": {"name": "p", "namespace": "default"}})
    eventually(lambda: not core.list_namespaced_pod("default").items)
    assert core.list_namespaced_pod("default").items == []


def test_pods_are_made_to_fail(cluster: Cluster, core: client.CoreV1Api) -> None:
    """An image that cannot be pulled keeps the pod Pending; a container out of memory is OOMKilled."""
    cluster.kubelet.faults += [PodFault("image-pull", prefix="pull"), PodFault("oom-killed", prefix="big")]
    start(core, "pull", "true")
    start(core, "big", "true")
    ended = state(in_phase(core, "big", "Failed")).terminated
    assert (ended.reason, ended.exit_code) == ("OOMKilled", 137)
    held = eventually(
        lambda: (pod := core.read_namespaced_pod("pull", "default")).status.container_statuses and pod
    )
    assert (held.status.phase, state(held).waiting.reason) == ("Pending", "ImagePullBackOff")
    with pytest.raises(client.ApiException) as error:
        core.read_namespaced_pod_log("pull", "default")
    assert "is waiting to start" in error.value.body


def test_a_container_without_a_command_is_no_success(core: client.CoreV1Api) -> None:
    """There are no images here: what would run only their entrypoint is held, with the reason."""
    spec = {"containers": [{"name": "main", "image": "a"}]}
    core.create_namespaced_pod("default", {"metadata": {"name": "p"}, "spec": spec})
    held = eventually(
        lambda: (pod := core.read_namespaced_pod("p", "default")).status.container_statuses and pod
    )
    assert state(held).waiting.reason == "CreateContainerError"


def test_a_job_runs_to_its_end() -> None:
    """A runner of a test's own answers for each pod; the Job counts what it says, and all is legal."""
    seen = []

    def answer(node: str, pod: Any) -> tuple[int, str]:
        index = pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]
        seen.append((node, index))
        return (1 if index == "1" else 0), f"index {index}\n"

    with (
        Cluster(runner=answering(answer)) as cluster,
        config.new_client_from_config_dict(cluster.server.kubeconfig()) as api,
    ):
        core, batch = client.CoreV1Api(api), client.BatchV1Api(api)
        for name in ("a", "b"):
            core.create_node({"metadata": {"name": name}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}})
        container = {"name": "main", "image": "a", "command": ["check"]}
        container["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
        spec = {
            "completionMode": "Indexed",
            "completions": 2,
            "parallelism": 2,
            "backoffLimitPerIndex": 0,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        }
        batch.create_namespaced_job("default", {"metadata": {"name": "check"}, "spec": spec})
        job = eventually(
            lambda: (found := batch.read_namespaced_job("check", "default")).status.conditions and found
        )
        assert [one.type for one in job.status.conditions] == ["Failed"]
        assert (job.status.completed_indexes, job.status.failed_indexes) == ("0", "1")
        assert sorted(seen) == [("a", "0"), ("b", "1")] or sorted(seen) == [("a", "1"), ("b", "0")]
        logs = {_log(core, pod.metadata.name) for pod in core.list_namespaced_pod("default").items}
        assert logs == {"index 0\n", "index 1\n"}
        kept = [(kind, one) for kind in cluster.store.kinds for one in cluster.store.objects(kind)[0]]
        assert {kind.kind for kind, _ in kept} >= {"Event", "Job", "Node", "Pod"}
        assert [
            (one["metadata"]["name"], schema_problems(kind, one))
            for kind, one in kept
            if schema_problems(kind, one)
        ] == []


def _log(core: client.CoreV1Api, name: str) -> str:
    return str(core.read_namespaced_pod_log(name, "default"))


def _alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has reaped yet does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False
