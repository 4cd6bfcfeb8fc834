"""What actions need of a Kubernetes API: a client, or a test's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class KubernetesRefused(Exception):
    """The API server refuses a request, or cannot be reached; ``status`` is 0 for the latter."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} ({status})" if status else message)
        self.status = status


class KubernetesApi(Protocol):
    """Objects go in and out as the API's own JSON. Each raises ``KubernetesRefused``."""

    def list_nodes(self) -> Sequence[Mapping[str, Any]]:
        """All nodes, whole: every page of them."""

    def get_node(self, name: str) -> Mapping[str, Any]:
        """One node as it is now."""

    def patch_node(self, name: str, patch: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a JSON merge patch (``application/merge-patch+json``); the node as it is then. 409 where it is
        no longer of the version that the patch names.
        """

    def list_pods_on(self, name: str) -> Sequence[Mapping[str, Any]]:
        """All pods that are bound to a node, of every namespace."""
