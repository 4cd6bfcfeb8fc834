"""Why a pod has not started: the scheduler's own reasons, and never a guess."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bedplate.diagnosis.parsers.pending_pod import KINDS, Pending, why_no_pods, why_pending
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis.kubernetes_objects import condition

MESSAGE = (
    "0/16 nodes are available: 1 Insufficient vpc.amazonaws.com/efa, 3 node(s) had untolerated taint "
    "{bedplate.dev/gate: waiting}, 12 node(s) didn't match Pod's node affinity/selector. preemption: 0/16 "
    "nodes are available: 16 Preemption is not helpful for scheduling."
)


def _pod(phase: str = "Pending", *conditions: dict[str, str], **status: Any) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": "probe-0"},
        "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]},
        "status": {"phase": phase, "conditions": list(conditions), **status},
    }


def _event(
    reason: str, message: str, *, name: str = "probe-0", at: str = "2026-02-03T09:14:02Z"
) -> dict[str, Any]:
    return {
        "type": "Warning",
        "reason": reason,
        "message": message,
        "lastTimestamp": at,
        "involvedObject": {"name": name},
    }


PLACED = condition("PodScheduled", "True")


def _waiting(reason: str, message: str = "") -> list[dict[str, Any]]:
    return [{"name": "a", "state": {"waiting": {"reason": reason, "message": message}}}]


def test_the_schedulers_reasons_are_counted_by_nodes() -> None:
    """What preemption would do is no further reason."""
    found = why_pending(
        _pod("Pending", condition("PodScheduled", "False", reason="Unschedulable", message=MESSAGE))
    )
    assert found is not None
    assert found.kind == "unschedulable"
    assert found.reasons == (
        ("node(s) didn't match Pod's node affinity/selector", 12),
        ("node(s) had untolerated taint {bedplate.dev/gate: waiting}", 3),
        ("Insufficient vpc.amazonaws.com/efa", 1),
    )
    assert "Insufficient vpc.amazonaws.com/efa" in str(found)
    assert found.remedy


@pytest.mark.parametrize(
    ("pod", "kind", "words"),
    [
        (
            _pod("Pending", condition("PodScheduled", "False", reason="SchedulingGated")),
            "gated",
            "kueue.x-k8s.io",
        ),
        (_pod(), "unseen", "default-scheduler"),
        (
            _pod("Pending", condition("PodScheduled", "False", reason="Unschedulable")),
            "unschedulable",
            "no reason",
        ),
        (
            _pod("Pending", condition("PodScheduled", "False", reason="SchedulerError")),
            "unknown",
            "SchedulerError",
        ),
        (_pod("Pending", PLACED, containerStatuses=_waiting("ImagePullBackOff", "404")), "image", "404"),
        (_pod("Pending", PLACED, initContainerStatuses=_waiting("ErrImagePull")), "image", "ErrImagePull"),
        (
            _pod("Pending", PLACED, containerStatuses=_waiting("CreateContainerConfigError")),
            "container",
            "Config",
        ),
        (_pod("Pending", PLACED, containerStatuses=_waiting("ContainerCreating")), "starting", "not started"),
        (_pod("Unknown", PLACED), "unknown", "Unknown"),
        (_pod(""), "unknown", "not told"),
    ],
)
def test_each_way_to_wait_is_told_apart(pod: dict[str, Any], kind: str, words: str) -> None:
    """Held by admission, unseen, unplaced, without image, without configuration, on its way."""
    found = why_pending(pod)
    assert found is not None
    assert found.kind == kind
    assert words in found.told


@pytest.mark.parametrize("phase", ["Running", "Succeeded", "Failed"])
def test_a_pod_that_has_started_waits_for_nothing(phase: str) -> None:
    """It is the job's own result that counts then."""
    assert why_pending(_pod(phase)) is None


def test_a_placed_pods_newest_event_is_told() -> None:
    """Events of other pods, and of the placing, say nothing of it."""
    events = [
        _event("FailedMount", "old", at="2026-02-03T09:10:00Z"),
        _event("FailedMount", "MountVolume.SetUp failed for volume fsx"),
        _event("FailedMount", "another's", name="probe-1", at="2026-02-03T09:20:00Z"),
        _event("FailedScheduling", "before", at="2026-02-03T09:30:00Z"),
    ]
    found = why_pending(_pod("Pending", PLACED), events=events)
    assert found is not None
    assert found.told == "FailedMount: MountVolume.SetUp failed for volume fsx"


QUOTA = 'pods "probe-0" is forbidden: exceeded quota: team, requested: requests.nvidia.com/gpu=8, used: 0'
KUEUE = "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor a"


@pytest.mark.parametrize(
    ("events", "conditions", "kind"),
    [
        ([_event("FailedCreate", QUOTA, name="probe")], [], "quota"),
        ([_event("FailedCreate", "admission webhook denied the request", name="probe")], [], "forbidden"),
        ([], [condition("QuotaReserved", "False", reason="Pending", message=KUEUE)], "quota"),
        ([], [condition("QuotaReserved", "False", message="the LocalQueue is stopped")], "gated"),
    ],
)
def test_a_job_without_pods_tells_why(events: list[Any], conditions: list[Any], kind: str) -> None:
    """The namespace's quota, a webhook, Kueue's quota, and what else keeps Kueue from admitting it."""
    found = why_no_pods(name="probe", events=events, conditions=conditions)
    assert found is not None
    assert found.kind == kind


def test_a_job_of_which_nobody_tells_anything_is_not_explained() -> None:
    """Admitted, or only other objects' events: no reason is made up."""
    assert why_no_pods(name="probe", events=[_event("FailedCreate", QUOTA, name="other")]) is None
    assert why_no_pods(name="probe", conditions=[condition("QuotaReserved", "True")]) is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["Pending", "PodScheduled"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["status", "phase", "conditions", "type", "state", "reason"]), inner
        )
    ),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.text(max_size=80))
def test_whatever_comes_is_told_as_one_of_the_kinds(value: Any, text: str) -> None:
    """An odd answer of the API ends no run, and every kind has a remedy."""
    pods = [
        value,
        {"metadata": {"name": "a"}, "status": value},
        _pod("Pending", condition("PodScheduled", "False", reason="Unschedulable", message=text)),
        _pod(
            "Pending", condition("PodScheduled", "False", reason="Unschedulable", message=MESSAGE[:30] + text)
        ),
    ]
    for pod in pods:
        with contextlib.suppress(ParseError):
            found = why_pending(pod, events=[value])
            assert found is None or (found.kind in KINDS and found.remedy)
    assert isinstance(why_no_pods(name="a", events=[value], conditions=[value]), Pending | None)
