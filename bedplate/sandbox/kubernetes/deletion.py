"""Deletes with what hangs on the object: owned objects, or the content of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.kinds import JOBS, NAMESPACES, Kind
from bedplate.sandbox.kubernetes.status import bad_request, conflict
from bedplate.sandbox.kubernetes.store import Object, Store

_POLICIES = ("Background", "Foreground", "Orphan")


def policy_of(kind: Kind, options: Mapping[str, Any]) -> str:
    """What becomes of owned objects. Who deletes a Job and says nothing leaves its pods: that is the default
    of batch/v1, and of nothing else here.
    """
    policy = options.get("propagationPolicy")
    if policy is None:
        return "Orphan" if kind.key == JOBS.key else "Background"
    if policy not in _POLICIES:
        raise bad_request(f"invalid propagationPolicy {policy!r}; allowed are {', '.join(_POLICIES)}")
    return str(policy)


def delete(store: Store, kind: Kind, found: Object, options: Mapping[str, Any]) -> Object:
    """Delete an object, and what it owns by the policy asked for; what is left of the object."""
    metadata = found["metadata"]
    namespace, name = metadata.get("namespace", ""), metadata["name"]
    for key, wanted in (options.get("preconditions") or {}).items():
        if metadata.get(key) != wanted:
            raise conflict(kind, name)
    policy = policy_of(kind, options)
    if kind.key == NAMESPACES.key:
        _empty(store, name)
    grace = options.get("gracePeriodSeconds")
    if grace != 0 and store.graceful(kind, found):
        return store.mark(kind, namespace, name, 30 if grace is None else int(grace))
    left = store.remove(kind, namespace, name)
    if policy != "Orphan":
        for owned_kind, owned in _owned(store, metadata["uid"]):
            delete(store, owned_kind, owned, {"propagationPolicy": policy})
    return left


def _owned(store: Store, uid: str) -> list[tuple[Kind, Object]]:
    return [
        (kind, each)
        for kind in store.kinds
        for each in store.objects(kind)[0]
        if any(owner["uid"] == uid for owner in each["metadata"].get("ownerReferences") or ())
    ]


def _empty(store: Store, namespace: str) -> None:
    for kind in store.kinds:
        if kind.namespaced:
            for each in store.objects(kind, namespace)[0]:
                if store.find(kind, namespace, each["metadata"]["name"]):
                    delete(store, kind, each, {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
