"""The objects of the played cluster, each write with a version of its own, and the changes since one."""

from __future__ import annotations

import copy
import random
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.kubernetes.kinds import CORE_KINDS, NAMESPACES, Kind
from bedplate.sandbox.kubernetes.status import already_exists, expired, not_found

Object = Mapping[str, Any]
"""An object of the store. It is never changed in place: a write stores another."""

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True)
class Change:
    """One write: ``before`` is None for a new object, ``after`` for one that is gone. ``found`` is the object
    as a watch tells it.
    """

    version: int
    kind: Kind
    before: Object | None
    after: Object | None

    @property
    def found(self) -> Object:
        """The newest form of the object, with the version of this change."""
        newest = self.after or self.before or {}
        return {**newest, "metadata": {**newest["metadata"], "resourceVersion": str(self.version)}}


def utc_now() -> datetime:
    """The clock of a cluster that is not given another."""
    return datetime.now(UTC)


class Store:
    """All objects; safe to call from many threads. ``history`` is how many changes a watch can go back."""

    def __init__(self, *, history: int = 10_000, clock: Callable[[], datetime] = utc_now) -> None:
        self.clock = clock
        self.graceful: Callable[[Kind, Object], bool] = lambda _kind, _found: False
        """Whether an object is only marked by its deletion, for somebody else to remove: a pod that runs."""
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._version = 1
        self._forgotten = 0
        self._objects: dict[tuple[str, str], dict[tuple[str, str], Object]] = {}
        self._changes: deque[Change] = deque(maxlen=history)
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._random = random.Random(0)  # noqa: S311 - names that differ, no secrets
        for kind in CORE_KINDS:
            self.register(kind)
        for name in _FIRST_NAMESPACES:
            self.create(NAMESPACES, {"metadata": {"name": name}})

    def register(self, kind: Kind) -> None:
        """Serve another kind from now on, as after its CustomResourceDefinition."""
        with self._lock:
            self._kinds[kind.key] = kind
            self._objects.setdefault(kind.key, {})

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is served."""
        with self._lock:
            return tuple(self._kinds.values())

    def kind(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind of a path; None where it is not served."""
        found = self._kinds.get((group, plural))
        return found if found and found.version == version else None

    @property
    def version(self) -> int:
        """The version of the last write."""
        with self._lock:
            return self._version

    def now(self) -> str:
        """The time as objects tell it."""
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def create(self, kind: Kind, body: Object) -> Object:
        """Store a new object. Raises 409 for a name that is taken, 404 for a namespace that is not there."""
        with self._lock:
            new = copy.deepcopy(dict(body))
            metadata = new["metadata"]
            namespace = metadata.get("namespace", "") if kind.namespaced else ""
            if kind.namespaced:
                self.get(NAMESPACES, "", namespace)
            key = namespace, metadata["name"]
            if key in self._objects[kind.key]:
                raise already_exists(kind, metadata["name"])
            metadata.setdefault("uid", str(uuid.uuid4()))
            metadata["creationTimestamp"] = self.now()
            if kind.key == NAMESPACES.key:
                new["status"] = {"phase": "Active"}
                new["spec"] = {"finalizers": ["kubernetes"]}
                metadata.setdefault("labels", {})["kubernetes.io/metadata.name"] = metadata["name"]
            return self._write(kind, key, None, new)

    def suffix(self) -> str:
        """Five letters for the end of a generated name."""
        with self._lock:
            return "".join(self._random.choices(_SUFFIX_LETTERS, k=5))

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """One object. Raises a 404."""
        found = self.find(kind, namespace, name)
        if found is None:
            raise not_found(kind, name)
        return found

    def find(self, kind: Kind, namespace: str, name: str) -> Object | None:
        """One object, None where there is none."""
        with self._lock:
            return self._objects[kind.key].get((namespace if kind.namespaced else "", name))

    def objects(self, kind: Kind, namespace: str = "") -> tuple[list[Object], int]:
        """The objects of a namespace, or of all, by name; and the version of that view."""
        with self._lock:
            found = self._objects[kind.key]
            keys = sorted(key for key in found if not namespace or key[0] == namespace)
            return [found[key] for key in keys], self._version

    def update(
        self, kind: Kind, namespace: str, name: str, change: Callable[[dict[str, Any]], Object | None]
    ) -> Object:
        """Change an object: ``change`` gets a copy, and changes it or returns another. No write where nothing
        differs; an object that is marked deleted goes once its last finalizer does. Raises a 404.
        """
        with self._lock:
            before = self.get(kind, namespace, name)
            new = copy.deepcopy(dict(before))
            new = dict(change(new) or new)
            if new == before:
                return before
            key = (namespace if kind.namespaced else "", name)
            metadata = new["metadata"]
            held = before["metadata"].get("finalizers") and not metadata.get("finalizers")
            if held and metadata.get("deletionTimestamp"):
                return self._write(kind, key, before, None)
            if new.get("spec") != before.get("spec") and "generation" in metadata:
                new["metadata"] = {**metadata, "generation": metadata["generation"] + 1}
            return self._write(kind, key, before, new)

    def remove(self, kind: Kind, namespace: str, name: str) -> Object:
        """Take an object away, or mark it where a finalizer holds it. Raises a 404."""
        with self._lock:
            before = self.get(kind, namespace, name)
            if before["metadata"].get("finalizers"):
                return self.mark(kind, namespace, name)
            return self._write(kind, (namespace if kind.namespaced else "", name), before, None)

    def mark(self, kind: Kind, namespace: str, name: str, grace_s: int = 0) -> Object:
        """Mark an object as being deleted; it stays until somebody removes it."""

        def marked(found: dict[str, Any]) -> None:
            found["metadata"].setdefault("deletionTimestamp", self.now())
            found["metadata"].setdefault("deletionGracePeriodSeconds", grace_s)

        return self.update(kind, namespace, name, marked)

    def forget(self) -> None:
        """Compact: a watch from before now is answered with 410 Gone."""
        with self._lock:
            self._changes.clear()
            self._forgotten = self._version

    def changes_since(self, version: int, timeout_s: float) -> list[Change]:
        """What was written after ``version``; waits for it. Raises a 410 where that is forgotten."""
        with self._changed:
            if version < self._forgotten:
                raise expired(version, self._forgotten)
            self._changed.wait_for(lambda: self._version > version, timeout_s)
            if version < self._forgotten:
                raise expired(version, self._forgotten)
            found = []
            for change in reversed(self._changes):
                if change.version <= version:
                    break
                found.append(change)
            return found[::-1]

    def _write(self, kind: Kind, key: tuple[str, str], before: Object | None, after: Object | None) -> Object:
        self._version += 1
        stored = after or before or {}
        stored = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            **stored,
            "metadata": {**stored["metadata"], "resourceVersion": str(self._version)},
        }
        if after is None:
            del self._objects[kind.key][key]
        else:
            self._objects[kind.key][key] = stored
        if len(self._changes) == self._changes.maxlen:
            self._forgotten = self._changes[0].version
        self._changes.append(Change(self._version, kind, before, None if after is None else stored))
        self._changed.notify_all()
        return stored
