"""The pod that has a node to itself: devices, huge pages, shared memory, NCCL's environment, checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.kubernetes.counts import (
    CPU,
    LAUNCHER_CORES,
    LAUNCHER_MEMORY_GIB,
    MEMORY,
    Offer,
    pod_share,
    resources,
)
from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import CLAIM, claim_of, needs_domain
from bedplate.kubernetes.jobs.surroundings import pod_annotations, pod_labels, priority_of, scheduler_of
from bedplate.kubernetes.queues.flavors import GPU_TOLERATION
from bedplate.kubernetes.teams import SERVICE_ACCOUNT
from bedplate.node.bootstrap.steps.set_nccl_defaults import DEFAULTS as NCCL_DEFAULTS
from bedplate.node.collectives import PLUGIN_NETWORK
from bedplate.node.kubernetes.names import POOL_LABEL

CHECKPOINTS = "/checkpoints"
_SHARED_MEMORY_ONE_IN = 8
"""Our choice: /dev/shm may have an eighth of the pod's memory, against which it counts. With the 64 MiB that
a container has by itself, data loaders and NCCL's transport inside a node fail."""
_SECONDS_TO_STOP = 300
"""Our choice, as for Slurm: from the signal to the kill a checkpoint of all GPUs' memory has this long."""


def variables(asked: JobAsked, **more: str) -> list[dict[str, Any]]:
    """The environment: no network but EFA where the pool has it, and what the job asks for, which wins."""
    made = {**NCCL_DEFAULTS, "NCCL_DEBUG": "WARN"}
    if pod_share(asked.pool).efas:
        made["NCCL_NET"] = PLUGIN_NETWORK
    return [{"name": name, "value": value} for name, value in {**made, **more, **asked.environment}.items()]


def container(asked: JobAsked, *, name: str, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The one container of a pod that has a whole node."""
    return {
        "name": name,
        "image": asked.image,
        "command": list(asked.command),
        "env": variables(asked, **(more or {})),
        "resources": node_resources(asked),
        "volumeMounts": [mount for mount, _ in _volumes(asked)],
    }


def node_resources(asked: JobAsked) -> dict[str, Any]:
    """All that a pod may take of a node, and on GB200 the NVLink domain."""
    made: dict[str, Any] = dict(resources(pod_share(asked.pool)))
    return {**made, "claims": [{"name": CLAIM}]} if needs_domain(asked.pool) else made


def pod(
    asked: JobAsked,
    containers: Sequence[Mapping[str, Any]],
    *,
    restart: str | None = "Never",
    group: str = "",
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A pod template on a node of the pool. It tolerates GPU nodes, not such as are unfit or not gated."""
    spec = {
        **_spec(asked),
        "containers": [dict(each) for each in containers],
        "terminationGracePeriodSeconds": _SECONDS_TO_STOP,
        "volumes": [volume for _, volume in _volumes(asked)],
        **claim_of(asked.pool, asked.name),
        **({"restartPolicy": restart} if restart else {}),
        **(more or {}),
    }
    return {"metadata": _metadata(asked, group), "spec": spec}


def launcher_pod(asked: JobAsked, *, group: str) -> dict[str, Any]:
    """A pod without GPUs on a node of the pool, in the room that ``pod_share`` leaves."""
    room = {CPU: LAUNCHER_CORES, MEMORY: f"{LAUNCHER_MEMORY_GIB}Gi"}
    env = variables(asked)
    # What sshd starts on a worker has nothing of its pod's environment: Open MPI hands these names on.
    # The command has no -x of mpirun beside it: what is to be handed on is given by ``environment``.
    env.append({"name": "OMPI_MCA_mca_base_env_list", "value": ";".join(each["name"] for each in env)})
    one = {
        "name": "launcher",
        "image": asked.image,
        "command": list(asked.command),
        "env": env,
        "resources": {"requests": room, "limits": {MEMORY: room[MEMORY]}},
    }
    spec = {**_spec(asked), "containers": [one], "restartPolicy": "Never"}
    return {"metadata": _metadata(asked, group), "spec": spec}


def _metadata(asked: JobAsked, group: str) -> dict[str, Any]:
    found = {"labels": pod_labels(asked), "annotations": pod_annotations(asked, group=group)}
    return {name: values for name, values in found.items() if values}


def _spec(asked: JobAsked) -> dict[str, Any]:
    return {
        "serviceAccountName": SERVICE_ACCOUNT,
        "automountServiceAccountToken": False,
        "nodeSelector": {POOL_LABEL: asked.pool.name},
        "tolerations": [dict(GPU_TOLERATION)],
        **scheduler_of(asked),
        **priority_of(asked),
    }


def _volumes(asked: JobAsked) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    made = [_shared_memory(pod_share(asked.pool))]
    if asked.checkpoints_claim:
        made.append(checkpoints(asked.checkpoints_claim))
    return made


def _shared_memory(share: Offer) -> tuple[dict[str, Any], dict[str, Any]]:
    size = f"{share.memory_gib // _SHARED_MEMORY_ONE_IN}Gi"
    volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    return {"name": "shared-memory", "mountPath": "/dev/shm"}, volume  # noqa: S108 -- the pod's own


def checkpoints(claim: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The mount and the volume of the claim that checkpoints are written to."""
    volume = {"name": "checkpoints", "persistentVolumeClaim": {"claimName": claim}}
    return {"name": "checkpoints", "mountPath": CHECKPOINTS}, volume
