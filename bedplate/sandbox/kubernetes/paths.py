"""The paths of the Kubernetes API: what kind, which namespace, which object, which part of it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from bedplate.sandbox.kubernetes.kinds import Kind
from bedplate.sandbox.kubernetes.status import unknown_path
from bedplate.sandbox.kubernetes.store import Store


@dataclass(frozen=True)
class Place:
    """Where a path leads: ``name`` is empty for a whole list, ``part`` for the object itself (``status``)."""

    kind: Kind
    namespace: str
    name: str = ""
    part: str = ""


def place_of(path: str, store: Store) -> Place:
    """The place of a path below ``/api/v1`` or ``/apis``. Raises a 404 for any that is not served."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[:2] == ["api", "v1"]:
        group, version, rest = "", "v1", parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise unknown_path()
    namespace = ""
    if rest[:1] == ["namespaces"] and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    kind = store.kind(group, version, rest[0]) if rest else None
    if kind is None or len(rest) > 3 or not all(rest):
        raise unknown_path()
    if (namespace and not kind.namespaced) or (kind.namespaced and len(rest) > 1 and not namespace):
        raise unknown_path()
    return Place(kind, namespace, *rest[1:])
