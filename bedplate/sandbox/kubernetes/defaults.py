"""What the API server fills in where a new object leaves it out: the fields that something here reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.status import bad_request

_OF_A_POD = {
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "serviceAccountName": "default",
    "terminationGracePeriodSeconds": 30,
}
_NOT_PLAYED = ("managedBy", "podFailurePolicy", "successPolicy")


def fill_in(kind: Kind, body: dict[str, Any]) -> None:
    """Change a new object as the API server does before it is checked and stored."""
    if kind.key == ("", "pods"):
        _pod(body.setdefault("spec", {}))
        body["status"] = {"phase": "Pending"}
    elif kind.key == ("batch", "jobs"):
        _job(body)
    elif kind.has_status and kind.key != ("", "nodes"):
        # A kubelet brings a node's status along; nobody else may write one in a create.
        body.pop("status", None)


def fill_in_identity(kind: Kind, body: dict[str, Any], uid: str) -> None:
    """A Job finds its pods by its own uid, unless it says otherwise."""
    if kind.key != ("batch", "jobs") or body["spec"].get("manualSelector"):
        return
    own = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": body["metadata"]["name"],
        "controller-uid": uid,
        "job-name": body["metadata"]["name"],
    }
    metadata = body["spec"]["template"].setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), **own}
    body["spec"]["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    body["metadata"]["labels"] = {**(metadata["labels"]), **(body["metadata"].get("labels") or {})}


def _pod(spec: dict[str, Any]) -> None:
    for name, value in _OF_A_POD.items():
        spec.setdefault(name, value)
    for container in spec.get("containers") or ():
        resources: Mapping[str, Any] = container.get("resources") or {}
        limits = resources.get("limits") or {}
        if limits:
            requests = {**limits, **(resources.get("requests") or {})}
            container["resources"] = {**resources, "requests": requests}


def _job(body: dict[str, Any]) -> None:
    spec = body.setdefault("spec", {})
    for name in _NOT_PLAYED:
        if spec.get(name) is not None:
            raise bad_request(f"the sandbox does not play a Job's spec.{name}")
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 6 if spec.get("backoffLimitPerIndex") is None else 2**31 - 1)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    body["metadata"]["generation"] = 1
    body["status"] = {}
