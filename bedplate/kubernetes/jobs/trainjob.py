"""TrainJob (Kubeflow Trainer v2) with a runtime for torchrun: Trainer sets the rendezvous itself."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.counts import pod_share
from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import compute_domain, needs_domain
from bedplate.kubernetes.jobs.pod import checkpoints, container, node_resources, pod, variables
from bedplate.kubernetes.jobs.surroundings import metadata, only_by, suspended
from bedplate.node.kubernetes.names import DOMAIN
from bedplate.spec.pools import Pool

_API = "trainer.kubeflow.org/v1alpha1"
_STEP_LABEL = "trainer.kubeflow.org/trainjob-ancestor-step"
_NODE = "node"
"""Trainer looks for the job and the container of this name."""
_NO_IMAGE = "registry.invalid/name-an-image-in-the-trainjob"
"""A runtime needs one; a TrainJob that forgets its own then says so, and does not run another's."""


def runtime_name(pool: Pool) -> str:
    """The cluster's runtime for TrainJobs on this pool."""
    return f"bedplate-torch-{pool.name}"


def torch_runtime(pool: Pool, *, queued: bool) -> dict[str, Any]:
    """The ``ClusterTrainingRuntime`` of a pool: whole nodes, for all teams. ``queued``: Kueue admits.

    ``ValueError`` for a pool of GB200, whose jobs have runtimes of their own: each names its NVLink domain.
    """
    if needs_domain(pool):
        raise ValueError(f"pool {pool.name}: a TrainJob on {pool.instance_type} brings its own runtime")
    anybody = JobAsked(
        name="runtime",
        namespace="default",
        pool=pool,
        nodes=1,
        image=_NO_IMAGE,
        command=("torchrun",),
        queue="any" if queued else "",
    )
    return _runtime(anybody, kind="ClusterTrainingRuntime", metadata={"name": runtime_name(pool)})


def train_job(asked: JobAsked) -> list[dict[str, Any]]:
    """The TrainJob, which names the pool's runtime, or on GB200 brings its own.

    It brings its own too where it needs what a TrainJob cannot change: a priority of pods, ``required``
    topology, or KAI. Raises ``ValueError`` for Volcano.
    """
    only_by(asked, "default", "kai", kind="a TrainJob")
    own = needs_domain(asked.pool) or bool(asked.priority) or asked.near == "required"
    own = own or asked.scheduler == "kai"
    reference = (
        {"kind": "TrainingRuntime", "name": asked.name}
        if own
        else {"kind": "ClusterTrainingRuntime", "name": runtime_name(asked.pool)}
    )
    job = {
        "apiVersion": _API,
        "kind": "TrainJob",
        "metadata": metadata(asked),
        "spec": {
            "runtimeRef": {"apiGroup": "trainer.kubeflow.org", **reference},
            **suspended(asked),
            "trainer": {
                "numNodes": asked.nodes,
                "numProcPerNode": pod_share(asked.pool).gpus,
                "image": asked.image,
                "command": list(asked.command),
                "env": variables(asked),
                "resourcesPerNode": node_resources(asked),
            },
            **({} if own or not asked.checkpoints_claim else _with_claim(asked.checkpoints_claim)),
        },
    }
    made = compute_domain(asked.pool, job=asked.name, namespace=asked.namespace)
    if own:
        where = {"name": asked.name, "namespace": asked.namespace}
        made.append(_runtime(asked, kind="TrainingRuntime", metadata=where))
    return [*made, job]


def _runtime(asked: JobAsked, *, kind: str, metadata: dict[str, Any]) -> dict[str, Any]:
    # How many nodes and processes, and their ranks, are Trainer's to set, from the TrainJob.
    template = pod(asked, [container(asked, name=_NODE)])
    return {
        "apiVersion": _API,
        "kind": kind,
        "metadata": {**metadata, "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": 1, "torch": {}},
            "template": {
                "spec": {
                    "replicatedJobs": [
                        {
                            "name": _NODE,
                            "template": {
                                "metadata": {"labels": {_STEP_LABEL: "trainer"}},
                                "spec": {"backoffLimit": 0, "template": template},
                            },
                        }
                    ]
                }
            },
        },
    }


def _with_claim(claim: str) -> dict[str, Any]:
    """The checkpoints' volume as a patch of the pool's runtime."""
    mount, volume = checkpoints(claim)
    pod_spec = {"volumes": [volume], "containers": [{"name": _NODE, "volumeMounts": [mount]}]}
    job = {"name": _NODE, "template": {"spec": {"template": {"spec": pod_spec}}}}
    patch = {
        "manager": f"{DOMAIN}/checkpoints",
        "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}},
    }
    return {"runtimePatches": [patch]}
