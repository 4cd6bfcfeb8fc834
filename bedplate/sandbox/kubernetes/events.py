"""Events: what the played controllers tell of an object."""

from __future__ import annotations

from bedplate.sandbox.kubernetes.kinds import EVENTS
from bedplate.sandbox.kubernetes.store import Object, Store


def tell(store: Store, about: Object, *, reason: str, message: str, source: str, warns: bool = False) -> None:
    """Write an event in the object's namespace."""
    metadata = about["metadata"]
    namespace, now = metadata.get("namespace") or "default", store.now()
    store.create(
        EVENTS,
        {
            "metadata": {
                "name": f"{metadata['name']}.{store.suffix()}{store.version:x}",
                "namespace": namespace,
            },
            "involvedObject": {
                "apiVersion": about["apiVersion"],
                "kind": about["kind"],
                "name": metadata["name"],
                "namespace": namespace,
                "uid": metadata["uid"],
            },
            "reason": reason,
            "message": message,
            "type": "Warning" if warns else "Normal",
            "source": {"component": source},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        },
    )
