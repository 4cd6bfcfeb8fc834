"""One Indexed Job for a list of nodes: the index of a pod is the node's place in the list.

Kubernetes cannot say in one Job which index goes to which node. Spread and anti-affinity come near, but they
count no pod that has ended: a quick node would take a slow one's index, and be asked twice. So each pod is
born with a scheduling gate, and whoever made the Job binds it to its node (``placement``). A pod that the Job
makes in place of a lost one stays behind its gate: nothing runs twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.kubernetes.validation.names import CONTAINER, NAMESPACE, labels
from bedplate.kubernetes.validation.placement import gates

KEPT_SECONDS = 3600
"""How long an ended Job stays if whoever made it is not there to delete it. Our own choice."""


def indexed_job(
    *, name: str, run_id: str, pods: int, pod: Mapping[str, Any], deadline_seconds: int
) -> dict[str, Any]:
    """``pod`` is the pod's ``spec``. The cluster ends the Job itself after ``deadline_seconds``.

    Raises ``ValueError`` for a Job without pods, which Kubernetes would call complete.
    """
    if pods < 1:
        raise ValueError("a Job over no nodes would be complete at once")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels(run_id)},
        "spec": {
            "completionMode": "Indexed",
            "completions": pods,
            "parallelism": pods,
            # One try an index, and one that fails holds up none of the others.
            "backoffLimitPerIndex": 0,
            "maxFailedIndexes": pods,
            "podReplacementPolicy": "Failed",
            "activeDeadlineSeconds": deadline_seconds,
            "ttlSecondsAfterFinished": KEPT_SECONDS,
            "template": {
                "metadata": {"labels": labels(run_id), "annotations": _ANNOTATIONS},
                "spec": {**pod, "restartPolicy": "Never", "schedulingGates": gates()},
            },
        },
    }


_ANNOTATIONS = {
    "kubectl.kubernetes.io/default-container": CONTAINER,
    # Neither of the two that scale nodes may move a pod of ours: its answer would be lost.
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
}
