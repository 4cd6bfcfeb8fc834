"""Kueue: it admits jobs as a whole, by quotas and topology."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bedplate.kubernetes.placement import SYSTEM_NODES
from bedplate.spec.orchestrator.kubernetes import JobKind

READY_WITHIN = "10m"
RECOVERED_WITHIN = "5m"
"""How long all pods of a job may take to run, and a lost one to come back, before the job is evicted whole
and queued again. Choices of ours: an image of tens of GB has to be pulled within the first.
"""
UNCOUNTED = ("hugepages-", "ephemeral-storage")
"""Resources that pods ask for and queues have no quota of; Kueue would admit no such pod otherwise."""

_ALWAYS = ("batch/job",)
_FRAMEWORKS: dict[JobKind, tuple[str, ...]] = {
    "trainer": ("jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob"),
    "mpi-operator": ("kubeflow.org/mpijob",),
    "jobset": ("jobset.x-k8s.io/jobset",),
    "leader-worker-set": ("leaderworkerset.x-k8s.io/leaderworkerset",),
}


def kueue_frameworks(jobs: Iterable[JobKind]) -> tuple[str, ...]:
    """The kinds of jobs that Kueue queues: Kubernetes' own, and those that the cluster has."""
    return tuple(dict.fromkeys((*_ALWAYS, *(each for job in jobs for each in _FRAMEWORKS[job]))))


def kueue_values(*, version: str, jobs: Iterable[JobKind]) -> dict[str, Any]:
    """``version`` is the chart's, which its image is named by."""
    return {
        "controllerManager": {
            "manager": {
                "image": {
                    "repository": "registry.k8s.io/kueue/kueue",
                    "tag": f"v{version}",
                    "pullPolicy": "IfNotPresent",
                }
            },
            "nodeSelector": SYSTEM_NODES,
        },
        # The chart takes the controller's whole configuration as text; JSON is YAML.
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(kueue_configuration(jobs), indent=2)},
    }


def kueue_configuration(jobs: Iterable[JobKind]) -> dict[str, Any]:
    """The controller's configuration, in which ours are the frameworks, the deadlines and what is uncounted.

    The rest is what the chart has at its pinned version.
    """
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {
            "groupKindConcurrency": {
                "Job.batch": 5,
                "Pod": 5,
                "Workload.kueue.x-k8s.io": 10,
                "LocalQueue.kueue.x-k8s.io": 5,
                "ClusterQueue.kueue.x-k8s.io": 5,
                "ResourceFlavor.kueue.x-k8s.io": 1,
            }
        },
        "clientConnection": {"qps": 300, "burst": 500},
        "waitForPodsReady": {
            "timeout": READY_WITHIN,
            "recoveryTimeout": RECOVERED_WITHIN,
            "blockAdmission": False,
        },
        "integrations": {"frameworks": list(kueue_frameworks(jobs))},
        "resources": {"excludeResourcePrefixes": list(UNCOUNTED)},
    }
