"""From a pod, as the API tells of it, to what it is doing and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.kubernetes.validation.names import CONTAINER, INDEX_ANNOTATION
from bedplate.kubernetes.validation.node_check import OVERRAN

_MOST_SHOWN = 300


@dataclass(frozen=True)
class PodState:
    """``stage`` is ``gated``, ``unplaced``, ``starting``, ``running`` or ``ended``.

    ``why`` says in Kubernetes' own words what it waits for, or why it ended without a program of its own that
    ended. ``said`` is what the program said on standard error.
    """

    name: str
    index: int
    stage: str
    why: str = ""
    exit_status: int | None = None
    overran: bool = False
    said: str = ""


def pod_state(pod: Mapping[str, Any]) -> PodState:
    """Of a pod of ours."""
    meta, status = pod["metadata"], pod.get("status", {})
    index = int(meta.get("annotations", {}).get(INDEX_ANNOTATION, "-1"))
    stage, why = _stage(pod["spec"], status)
    if stage != "ended":
        return PodState(meta["name"], index, stage, why)
    ended = next(
        (
            one["state"]["terminated"]
            for one in status.get("containerStatuses") or ()
            if one.get("name") == CONTAINER and one.get("state", {}).get("terminated")
        ),
        None,
    )
    told = _words(status.get("reason"), status.get("message"))
    # A pod that the cluster ended has no program that ended by itself, whatever its container says.
    if ended is None or status.get("reason"):
        overran = status.get("reason") == "DeadlineExceeded"
        return PodState(meta["name"], index, stage, told or _disruption(status), overran=overran)
    rc = ended.get("exitCode")
    reason = ended.get("reason", "")
    # The kernel's killer and a container that could not be run give a status that is no program's.
    if reason not in ("Completed", "Error"):
        return PodState(meta["name"], index, stage, _words(reason, ended.get("message")))
    said = str(ended.get("message") or "")
    return PodState(meta["name"], index, stage, "", rc, rc == OVERRAN, said)


def _stage(spec: Mapping[str, Any], status: Mapping[str, Any]) -> tuple[str, str]:
    phase = status.get("phase", "Pending")
    if phase in ("Succeeded", "Failed"):
        return "ended", ""
    if spec.get("schedulingGates"):
        return "gated", ""
    if phase == "Running":
        return "running", ""
    scheduled = next(
        (one for one in status.get("conditions") or () if one.get("type") == "PodScheduled"), None
    )
    if not spec.get("nodeName"):
        message = "" if scheduled is None else str(scheduled.get("message") or scheduled.get("reason") or "")
        return "unplaced", message[:_MOST_SHOWN] or "the scheduler has not told why"
    waiting = [one.get("state", {}).get("waiting") or {} for one in status.get("containerStatuses") or ()]
    told = next((_words(one.get("reason"), one.get("message")) for one in waiting if one), "")
    return "starting", told or "its container has not started"


def _disruption(status: Mapping[str, Any]) -> str:
    """Why the cluster took the node from it, where it says so."""
    conditions: list[Mapping[str, Any]] = list(status.get("conditions") or ())
    found = next((one for one in conditions if one.get("type") == "DisruptionTarget"), dict[str, Any]())
    return _words(found.get("reason"), found.get("message")) or "Kubernetes does not say how it ended"


def _words(*told: object) -> str:
    return ": ".join(str(one) for one in told if one)[:_MOST_SHOWN]
