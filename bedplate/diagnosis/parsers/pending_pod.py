"""Why a pod has not started, or a job has no pods: the words of the scheduler, the kubelet or the admission,
sorted by kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.diagnosis.parsers.kubernetes_object import listing, mapping, metadata_of, word

TOOL = "kubectl get pod"
UNSCHEDULABLE, GATED, IMAGE, CONTAINER = "unschedulable", "gated", "image", "container"
QUOTA, FORBIDDEN, UNSEEN, STARTING, UNKNOWN = "quota", "forbidden", "unseen", "starting", "unknown"
KINDS = (UNSCHEDULABLE, GATED, IMAGE, CONTAINER, QUOTA, FORBIDDEN, UNSEEN, STARTING, UNKNOWN)

_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
_NOT_YET = frozenset({"", "ContainerCreating", "PodInitializing"})
_COUNTS = re.compile(r"^(?P<none>\d{1,6})/(?P<all>\d{1,6}) nodes are available: (?P<reasons>.*)$", re.DOTALL)
_BEHIND = re.compile(r"\.? (?:preemption: |no new claims to deallocate)")
_REASON = re.compile(r"^(?P<count>\d{1,6}) (?P<words>.+)$", re.DOTALL)
_APART = re.compile(r", (?=\d{1,6} )")
_QUOTA = re.compile(r"exceeded quota|insufficient (?:unused )?quota")
_LONGEST = 300
_MOST_REASONS = 12

_REMEDIES: Mapping[str, str] = {
    UNSCHEDULABLE: "Compare what the pod asks for with what nodes offer (KUB-001), and their taints with "
    "what it tolerates.",
    GATED: "Look at its Kueue workload (`kubectl get workloads -n NAMESPACE`): quota, or the topology that "
    "it asks for.",
    IMAGE: "See that the image's name and tag are right and that the nodes' role may pull it.",
    CONTAINER: "Read the container's message: a command, a config map or a mount that is not there.",
    QUOTA: "Ask for less, or raise the team's quota in the environment file.",
    FORBIDDEN: "Read the message: an admission webhook or a policy refuses the pod as it is.",
    UNSEEN: "See that the scheduler that the pod names runs.",
    STARTING: "See the events of the pod: a volume or the network may be slow.",
    UNKNOWN: "Look at the pod itself (`kubectl describe pod`).",
}


@dataclass(frozen=True)
class Pending:
    """``kind`` is one of ``KINDS``; ``reasons`` are the scheduler's, (in words, on how many nodes), the most
    frequent first.
    """

    kind: str
    name: str
    told: str
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def remedy(self) -> str:
        """What to do about this kind."""
        return _REMEDIES[self.kind]

    def __str__(self) -> str:
        return f"{self.name}: {self.told}"


def why_pending(pod: object, *, events: Sequence[object] = ()) -> Pending | None:
    """Why a pod has not started; None for one that runs or has ended.

    ``events`` may be those of its whole namespace, in any order. ParseError for what is no pod.
    """
    name = word(metadata_of(pod, kind="Pod", tool=TOOL).get("name"))
    status = mapping(mapping(pod).get("status"))
    phase = word(status.get("phase"))
    if phase in ("Running", "Succeeded", "Failed"):
        return None
    if phase != "Pending":
        return Pending(UNKNOWN, name, f"its phase is {phase or 'not told'}")
    placed = _condition(status, "PodScheduled")
    if placed is None:
        scheduler = word(mapping(mapping(pod).get("spec")).get("schedulerName")) or "default-scheduler"
        return Pending(UNSEEN, name, f"{scheduler} has not looked at it")
    reason, message = word(placed.get("reason")), _plain(word(placed.get("message")))
    if placed.get("status") != "True":
        if reason == "SchedulingGated":
            gates = ", ".join(_gates(pod)) or "untold gates"
            return Pending(GATED, name, f"it is held by {gates}")
        if reason == "Unschedulable":
            return Pending(UNSCHEDULABLE, name, message or "the scheduler gives no reason", _reasons(message))
        return Pending(UNKNOWN, name, f"it is not placed: {reason or 'no reason'}: {message}")
    return _held_on_node(name, status, _of(name, events))


def why_no_pods(
    *, name: str, events: Sequence[object] = (), conditions: Sequence[object] = ()
) -> Pending | None:
    """Why a job has no pods yet, by the events of the job and the conditions of its Kueue workload; None
    where neither tells.
    """
    for told in conditions:
        condition = mapping(told)
        if condition.get("type") == "QuotaReserved" and condition.get("status") != "True":
            message = _plain(word(condition.get("message")))
            kind = QUOTA if _QUOTA.search(message) else GATED
            return Pending(kind, name, f"Kueue has not admitted it: {message or 'no reason told'}")
    for event in _of(name, events):
        if event.get("reason") == "FailedCreate":
            message = _plain(word(event.get("message")))
            kind = QUOTA if _QUOTA.search(message) else FORBIDDEN
            return Pending(kind, name, message or "its pods could not be created")
    return None


def _held_on_node(name: str, status: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Pending:
    """Placed, and not started: what its containers wait for, else what the kubelet's events say."""
    told = [*listing(status.get("initContainerStatuses")), *listing(status.get("containerStatuses"))]
    for each in told:
        waiting = mapping(mapping(mapping(each).get("state")).get("waiting"))
        reason, message = word(waiting.get("reason")), _plain(word(waiting.get("message")))
        if reason not in _NOT_YET:
            kind = IMAGE if reason in _IMAGE else CONTAINER
            return Pending(kind, name, f"{reason}: {message}" if message else reason)
    for event in events:
        if event.get("type") == "Warning" and event.get("reason") != "FailedScheduling":
            reason, message = word(event.get("reason")), _plain(word(event.get("message")))
            return Pending(STARTING, name, f"{reason}: {message}")
    return Pending(STARTING, name, "it is placed, and its containers have not started")


def _reasons(message: str) -> tuple[tuple[str, int], ...]:
    """``1 Insufficient x, 3 node(s) had …`` → each with its number; empty where it reads otherwise."""
    match = _COUNTS.match(message)
    if match is None:
        return ()
    listed = _BEHIND.split(match["reasons"], maxsplit=1)[0].rstrip(".")
    found = [_REASON.match(each) for each in _APART.split(listed)]
    pairs = [(each["words"], int(each["count"])) for each in found if each is not None]
    return tuple(sorted(pairs, key=lambda pair: -pair[1])[:_MOST_REASONS])


def _of(name: str, events: Iterable[object]) -> list[Mapping[str, Any]]:
    """The events of this object, the newest first."""
    known = [mapping(each) for each in events]
    own = [each for each in known if mapping(each.get("involvedObject")).get("name") == name]
    return sorted(own, key=_when, reverse=True)


def _when(event: Mapping[str, Any]) -> str:
    return word(event.get("lastTimestamp")) or word(event.get("eventTime"))


def _gates(pod: object) -> list[str]:
    spec = mapping(mapping(pod).get("spec"))
    return [word(mapping(each).get("name")) for each in listing(spec.get("schedulingGates"))]


def _condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    told = [mapping(each) for each in listing(status.get("conditions"))]
    return next((each for each in told if each.get("type") == kind), None)


def _plain(text: str) -> str:
    """On one line, and not too long for a report."""
    return " ".join(text.split())[:_LONGEST]
