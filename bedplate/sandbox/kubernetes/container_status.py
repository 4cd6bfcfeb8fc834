"""The status of a pod and its containers, as a kubelet writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.conditions import set_condition

State = dict[str, Any]


def waiting(reason: str, message: str = "") -> State:
    """A container that does not run yet."""
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def running(now: str) -> State:
    """A container that runs."""
    return {"running": {"startedAt": now}}


def terminated(code: int, started: str, now: str, *, reason: str = "", message: str = "") -> State:
    """A container that ended."""
    found = {
        "exitCode": code,
        "reason": reason or ("Completed" if code == 0 else "Error"),
        "startedAt": started,
        "finishedAt": now,
        **({"message": message} if message else {}),
    }
    return {"terminated": found}


def write_states(pod: dict[str, Any], states: Mapping[str, State], *, phase: str, now: str) -> None:
    """Put the states of the containers, by name, and the phase into a pod."""
    status = pod.setdefault("status", {})
    status["phase"] = phase
    status.setdefault("startTime", now)
    for list_name, field in (
        ("initContainers", "initContainerStatuses"),
        ("containers", "containerStatuses"),
    ):
        old = {one["name"]: one["state"] for one in status.get(field) or ()}
        rows = [
            _row(one, states.get(one["name"]) or old.get(one["name"]) or waiting("PodInitializing"))
            for one in pod["spec"].get(list_name) or ()
        ]
        if rows:
            status[field] = rows
    ready = bool(status.get("containerStatuses")) and all(one["ready"] for one in status["containerStatuses"])
    for word in ("Ready", "ContainersReady"):
        set_condition(status, word, holds=ready, now=now)


def _row(container: Mapping[str, Any], state: State) -> dict[str, Any]:
    return {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": "",
        "restartCount": 0,
        "ready": "running" in state,
        "started": "running" in state,
        "state": state,
    }
