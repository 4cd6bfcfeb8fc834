"""What a pod tells of itself: only a program that ended by itself has a status that counts."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.validation.transports.kubernetes.pod_state import PodState, pod_state


def _pod(status: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "p", "annotations": {"batch.kubernetes.io/job-completion-index": "4"}},
        "spec": spec,
        "status": status,
    }


def _ended(phase: str, terminated: dict[str, Any], **status: Any) -> PodState:
    other = {"name": "sidecar", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}
    containers = [other, {"name": "bedplate", "state": {"terminated": terminated}}]
    return pod_state(_pod({"phase": phase, "containerStatuses": containers, **status}, nodeName="n"))


def test_a_program_that_ended_has_its_status_and_its_last_words() -> None:
    """Those of our own container, not of one that somebody's webhook added."""
    state = _ended("Failed", {"exitCode": 1, "reason": "Error", "message": "no identity\n"})
    assert (state.index, state.stage, state.exit_status, state.said) == (4, "ended", 1, "no identity\n")
    assert _ended("Succeeded", {"exitCode": 0, "reason": "Completed"}).exit_status == 0
    assert _ended("Failed", {"exitCode": 124, "reason": "Error"}).overran


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (_ended("Failed", {"exitCode": 137, "reason": "OOMKilled"}), "OOMKilled"),
        (
            _ended("Failed", {"exitCode": 128, "reason": "StartError", "message": "no such file"}),
            "StartError: no such file",
        ),
        (
            _ended(
                "Failed", {"exitCode": 0, "reason": "Completed"}, reason="Evicted", message="low on memory"
            ),
            "Evicted: low on memory",
        ),
        (
            pod_state(
                _pod(
                    {
                        "phase": "Failed",
                        "conditions": [
                            {
                                "type": "DisruptionTarget",
                                "reason": "PreemptionByScheduler",
                                "message": "a pod of higher priority",
                            }
                        ],
                    }
                )
            ),
            "PreemptionByScheduler: a pod of higher priority",
        ),
        (pod_state(_pod({"phase": "Failed"})), "Kubernetes does not say how it ended"),
    ],
)
def test_a_pod_that_the_cluster_ended_has_no_status_and_says_why(state: PodState, why: str) -> None:
    """Killed, never started, evicted, preempted, unknown: whatever its container says."""
    assert (state.stage, state.exit_status, state.why, state.overran) == ("ended", None, why, False)


def test_a_job_that_the_cluster_ended_at_its_deadline_overran() -> None:
    """Where whoever asked was gone."""
    state = pod_state(_pod({"phase": "Failed", "reason": "DeadlineExceeded"}, nodeName="n"))
    assert (state.overran, state.exit_status) == (True, None)


@pytest.mark.parametrize(
    ("pod", "stage", "why"),
    [
        (_pod({"phase": "Pending"}, schedulingGates=[{"name": "x"}]), "gated", ""),
        (_pod({}), "unplaced", "the scheduler has not told why"),
        (
            _pod({"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/2 nodes: full"}]}),
            "unplaced",
            "0/2 nodes: full",
        ),
        (_pod({"phase": "Pending"}, nodeName="n"), "starting", "its container has not started"),
        (
            _pod(
                {
                    "containerStatuses": [
                        {
                            "name": "bedplate",
                            "state": {"waiting": {"reason": "ErrImagePull", "message": "403"}},
                        }
                    ]
                },
                nodeName="n",
            ),
            "starting",
            "ErrImagePull: 403",
        ),
        (_pod({"phase": "Running"}, nodeName="n"), "running", ""),
        # The pod's node is lost: Kubernetes cannot tell, so only the deadline does.
        (_pod({"phase": "Unknown"}, nodeName="n"), "starting", "its container has not started"),
    ],
)
def test_what_a_pod_waits_for_is_told_in_kubernetes_words(pod: dict[str, Any], stage: str, why: str) -> None:
    """Its stages one after the other."""
    assert (pod_state(pod).stage, pod_state(pod).why) == (stage, why)
