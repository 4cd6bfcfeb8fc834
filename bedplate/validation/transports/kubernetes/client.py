"""What the transport needs of an API server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from bedplate.kubernetes.validation.names import NAMESPACE

NODES = "/api/v1/nodes"
ALL_PODS = "/api/v1/pods"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
EVENTS = f"/api/v1/namespaces/{NAMESPACE}/events"
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


class ClusterClient(Protocol):
    """``KubernetesApi`` is one; each raises ``ClusterRefused``."""

    def listed(self, path: str, *, labels: str = "", fields: str = "") -> list[dict[str, Any]]:
        """All items of a kind that the selectors find."""
        ...

    def create(self, path: str, document: Mapping[str, Any]) -> None:
        """Make an object; one that is there by this name is kept."""
        ...

    def merge(self, path: str, patch: Mapping[str, Any]) -> None:
        """Change an object."""
        ...

    def delete(self, path: str, *, propagation: str = "Background") -> None:
        """Take an object away, if it is there."""
        ...

    def text(self, path: str, *, query: Mapping[str, str]) -> str:
        """Read what is no object, such as a log."""
        ...
