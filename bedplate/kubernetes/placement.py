"""Where pods of components run: on system nodes, on GPU nodes, on nodes with EFA; as Kubernetes writes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bedplate.node.kubernetes.names import ROLE_LABEL

SYSTEM_NODES = {ROLE_LABEL: "system"}
"""Selector of the nodes that controllers run on."""
GPU_NODES = {ROLE_LABEL: "gpu"}
INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
"""Set by Kubernetes' cloud controller; under HyperPod its values begin with ``ml.``."""


def everywhere() -> list[dict[str, str]]:
    """Tolerations of a node's own program: it runs whatever taints there are, so before the gate too."""
    return [{"operator": "Exists"}]


def only_on(key: str, values: Iterable[str]) -> dict[str, Any]:
    """A node affinity that allows nodes whose label ``key`` is one of ``values``.

    Helm merges maps and replaces lists: given this, a chart's own terms are gone without a null, which
    Helm's callers lose.
    """
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
