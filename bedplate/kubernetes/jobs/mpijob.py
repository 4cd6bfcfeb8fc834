"""MPIJob (v2beta1): mpirun in a launcher of its own, one worker a node."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.counts import pod_share
from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.compute_domain import compute_domain
from bedplate.kubernetes.jobs.pod import container, launcher_pod, pod
from bedplate.kubernetes.jobs.surroundings import gang, metadata, suspended

_SSHD = ("/usr/sbin/sshd", "-De")


def mpi_job(asked: JobAsked) -> list[dict[str, Any]]:
    """``command`` is the launcher's; workers run sshd, which the image has to have, as root.

    Launcher and workers are one group for Kueue, so that mpirun is near what it starts.
    """
    worker = {**container(asked, name="worker"), "command": list(_SSHD)}
    made = {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": metadata(asked),
        "spec": {
            "slotsPerWorker": pod_share(asked.pool).gpus,
            "mpiImplementation": "OpenMPI",
            # No pod that holds GPUs is left when mpirun has ended.
            "runPolicy": {"cleanPodPolicy": "All", "backoffLimit": 0, **suspended(asked)},
            "mpiReplicaSpecs": {
                "Launcher": {
                    "replicas": 1,
                    "restartPolicy": "Never",
                    "template": launcher_pod(asked, group=asked.name),
                },
                "Worker": {
                    "replicas": asked.nodes,
                    "restartPolicy": "Never",
                    "template": pod(asked, [worker], group=asked.name),
                },
            },
        },
    }
    domain = compute_domain(asked.pool, job=asked.name, namespace=asked.namespace)
    return [*domain, *gang(asked, pods=asked.nodes + 1), made]
