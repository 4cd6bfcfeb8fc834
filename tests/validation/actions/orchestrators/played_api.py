"""SIMULATED: a Kubernetes API in memory, of nodes and their pods, with versions that conflict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from bedplate.validation.actions.orchestrators.kubernetes_api import KubernetesRefused
from tests.support.merge_patch import merged


@dataclass
class PlayedApi:
    """``before_patch`` is called with a node's name before each patch, as somebody else's hand."""

    nodes: dict[str, dict[str, Any]]
    pods: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    before_patch: Callable[[str], None] = lambda _name: None
    is_silent: bool = False
    forgets: bool = False
    patches: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def list_nodes(self) -> Sequence[Mapping[str, Any]]:
        """All nodes."""
        if self.is_silent:
            raise KubernetesRefused(0, "connection refused")
        return deepcopy(list(self.nodes.values()))

    def get_node(self, name: str) -> Mapping[str, Any]:
        """One node."""
        if name not in self.nodes:
            raise KubernetesRefused(404, f'nodes "{name}" not found')
        return deepcopy(self.nodes[name])

    def patch_node(self, name: str, patch: Mapping[str, Any]) -> Mapping[str, Any]:
        """Patch, where the version still is the one that was read."""
        self.before_patch(name)
        node = self.nodes[name]
        if patch["metadata"]["resourceVersion"] != node["metadata"]["resourceVersion"]:
            raise KubernetesRefused(409, "the object has been modified")
        self.patches.append((name, patch))
        if not self.forgets:
            self.nodes[name] = merged(node, patch)
            self.touch(name)
        return self.get_node(name)

    def list_pods_on(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Its pods."""
        return self.pods.get(name, [])

    def touch(self, name: str) -> None:
        """Somebody wrote to the node."""
        metadata = self.nodes[name]["metadata"]
        metadata["resourceVersion"] = str(int(metadata["resourceVersion"]) + 1)
