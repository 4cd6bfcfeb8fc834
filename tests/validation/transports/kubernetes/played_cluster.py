"""A cluster in memory: its API, the Job controller, the scheduler and kubelets that start real programs."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate

from bedplate.validation.transports.kubernetes.client import ALL_PODS, JOBS, NODES, PODS
from bedplate.validation.transports.kubernetes.limits import KubernetesLimits
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.kubernetes.transport import KubernetesTransport

PROGRAM = Path(__file__).parents[1] / "behaving_node.py"
_INDEX = "batch.kubernetes.io/job-completion-index"


def node_name(instance_id: str) -> str:
    """As EKS names it, more or less."""
    return f"ip-{instance_id}.internal"


def node_object(instance_id: str, **changes: Any) -> dict[str, Any]:
    """A p5.48xlarge that is well; ``spec``, ``labels``, ``allocatable`` and ``ready`` change it."""
    allocatable = {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32", "cpu": "192"}
    ready = changes.get("ready", {"type": "Ready", "status": "True"})
    return {
        "metadata": {
            "name": node_name(instance_id),
            "labels": {"node.kubernetes.io/instance-type": "p5.48xlarge", **changes.get("labels", {})},
        },
        "spec": {"providerID": f"aws:///us-west-2a/{instance_id}", **changes.get("spec", {})},
        "status": {
            "conditions": [ready],
            "allocatable": {**allocatable, **changes.get("allocatable", {})},
            "nodeInfo": {"osImage": changes.get("os_image", "Amazon Linux 2023")},
        },
    }


class PlayedCluster:
    """``behave`` says by instance id how its program behaves. Every step of the cluster happens when it is
    looked at. ``unplaced`` are messages of the scheduler by node name; ``edit`` changes a pod that was made.
    """

    def __init__(self, behave: Mapping[str, str]) -> None:
        self.behave = dict(behave)
        self.objects: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, str] = {}
        self.calls: list[tuple[str, str]] = []
        self.placements: list[tuple[str, str]] = []
        self.unplaced: dict[str, str] = {}
        self.edit: Callable[[dict[str, Any]], None] = lambda _pod: None
        self.refuse: Callable[[str, str], int] = lambda _verb, _path: 0
        self._running: dict[str, tuple[subprocess.Popen[str], Path]] = {}
        for instance_id in behave:
            self.add(NODES, node_object(instance_id))

    def add(self, path: str, document: dict[str, Any]) -> None:
        """Put an object there, as others do."""
        self.objects[f"{path}/{document['metadata']['name']}"] = document

    def at(self, path: str) -> list[dict[str, Any]]:
        """The objects of a kind."""
        return [one for key, one in self.objects.items() if key.rpartition("/")[0] == path]

    # As ``ClusterClient``.

    def listed(self, path: str, *, labels: str = "", fields: str = "") -> list[dict[str, Any]]:
        """By labels alone: what our fields leave out has no part in what is asked for here."""
        self._called("list", path)
        self._work()
        wanted = dict(word.split("=") for word in labels.split(",") if word)
        everywhere = path == ALL_PODS
        found = (
            [one for key, one in self.objects.items() if key.rpartition("/")[0].endswith("/pods")]
            if everywhere
            else self.at(path)
        )
        return copy.deepcopy(
            [one for one in found if wanted.items() <= one["metadata"].get("labels", {}).items()]
        )

    def create(self, path: str, document: Mapping[str, Any]) -> None:
        """Only what Kubernetes' schema allows."""
        self._called("create", path)
        kubernetes_validate.validate(dict(document), "1.35", strict=True)
        self.add(path, copy.deepcopy(dict(document)))

    def merge(self, path: str, patch: Mapping[str, Any]) -> None:
        """Of a pod: what binds it."""
        self._called("patch", path)
        if path not in self.objects:
            raise ClusterRefused("not found", status=404)
        for key, value in patch["spec"].items():
            if value is None:
                self.objects[path]["spec"].pop(key, None)
            else:
                self.objects[path]["spec"][key] = value

    def delete(self, path: str, *, propagation: str = "Background") -> None:
        """With what hangs from it."""
        self._called("delete", path)
        found = self.objects.pop(path, None)
        if found is not None and path.startswith(JOBS):
            for pod in [one for one in self.at(PODS) if _job_of(one) == found["metadata"]["name"]]:
                self.delete(f"{PODS}/{pod['metadata']['name']}")
        running = self._running.pop(path.rpartition("/")[2], None)
        if running is not None:
            # As a kubelet does first; `timeout` hands it on, which it could not do with SIGKILL.
            running[0].terminate()
            running[0].communicate()

    def text(self, path: str, *, query: Mapping[str, str]) -> str:
        """A pod's log."""
        self._called("log", path)
        return self.logs.get(path.split("/")[-2], "")

    # What a cluster does by itself.

    def _called(self, verb: str, path: str) -> None:
        self.calls.append((verb, path))
        if status := self.refuse(verb, path):
            raise ClusterRefused(f"{verb} {path}", status=status)

    def _work(self) -> None:
        for job in self.at(JOBS):
            self._control(job)
        for pod in self.at(PODS):
            self._schedule(pod)
            self._run(pod)

    def _control(self, job: dict[str, Any]) -> None:
        """A pod an index, once."""
        if job.setdefault("status", {}).get("made"):
            return
        job["status"]["made"] = True
        name, spec = job["metadata"]["name"], job["spec"]
        for index in range(spec["completions"]):
            pod = copy.deepcopy(spec["template"])
            words = {_INDEX: str(index), "batch.kubernetes.io/job-name": name}
            pod["metadata"]["name"] = f"{name}-{index}-abcde"
            pod["metadata"]["labels"].update(words)
            pod["metadata"]["annotations"].update(words)
            pod["status"] = {"phase": "Pending"}
            self.edit(pod)
            self.add(PODS, pod)

    def _schedule(self, pod: dict[str, Any]) -> None:
        spec, status = pod["spec"], pod["status"]
        if spec.get("schedulingGates") or spec.get("nodeName") or status["phase"] != "Pending":
            return
        node = _wanted(spec)
        if message := self.unplaced.get(node):
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            status["conditions"] = [{**condition, "message": message}]
            return
        spec["nodeName"] = node
        self.placements.append((pod["metadata"]["name"], node))

    def _run(self, pod: dict[str, Any]) -> None:
        """Start the program of a pod that has a node, and tell when it has ended."""
        name, status = pod["metadata"]["name"], pod["status"]
        if not pod["spec"].get("nodeName") or status["phase"] not in ("Pending", "Running"):
            return
        if "containerStatuses" in status:
            return
        if name not in self._running:
            self._start(pod)
            status["phase"] = "Running"
            return
        process, _ = self._running[name]
        if process.poll() is None:
            return
        self.logs[name], said = process.communicate()
        del self._running[name]
        rc = process.returncode
        ended = {"exitCode": rc, "reason": "Error" if rc else "Completed", "message": said}
        status["containerStatuses"] = [{"name": "bedplate", "state": {"terminated": ended}}]
        status["phase"] = "Failed" if rc else "Succeeded"

    def _start(self, pod: dict[str, Any]) -> None:
        (container,) = pod["spec"]["containers"]
        instance_id = pod["spec"]["nodeName"].removeprefix("ip-").removesuffix(".internal")
        words = container["command"]
        seconds, *arguments = words[words.index("bedplate-node") + 1 :]
        process = subprocess.Popen(
            ["timeout", seconds, sys.executable, str(PROGRAM), *arguments],
            env={"BEHAVE": self.behave[instance_id], "INSTANCE": instance_id, "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._running[pod["metadata"]["name"]] = (process, PROGRAM)


def transport_over(cluster: PlayedCluster, **changes: Any) -> KubernetesTransport:
    """Its answers go nowhere but have an address, and its pauses are short."""
    settings: dict[str, Any] = {
        "image": "registry.example/tests:1",
        "store": lambda name, _text: f"s3://results/answers/run-1/{name}",
        "program": lambda: b"a program",
        "limits": KubernetesLimits(placed=1.0, started=1.0, first_pause=0.02, most_pause=0.1),
    }
    return KubernetesTransport(cluster, "run-1", **{**settings, **changes})


def _job_of(pod: Mapping[str, Any]) -> str:
    return str(pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name", ""))


def _wanted(spec: Mapping[str, Any]) -> str:
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])
