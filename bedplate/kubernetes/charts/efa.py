"""What offers EFAs to pods: AWS's device plugin, or its DRA driver. Both select nodes in the same way."""

from __future__ import annotations

from typing import Any

from bedplate.kubernetes.placement import everywhere
from bedplate.node.kubernetes.names import EFA_LABEL


def efa_device_plugin_values() -> dict[str, Any]:
    """Runs on the nodes that say they have EFA, and on no other: without one it crashes for ever.

    A selector beside the chart's own list of types is ANDed with it (eks-charts pull request 1348), so a type
    that is newer than the chart would silently have no plugin. Our label takes the list's place. One key: of
    several, the chart excludes Auto Mode's nodes for the last alone.
    """
    return _on_nodes_with_efa()


def efa_dra_driver_values() -> dict[str, Any]:
    """The same nodes."""
    return _on_nodes_with_efa()


def _on_nodes_with_efa() -> dict[str, Any]:
    return {
        "supportedInstanceLabels": {"keys": [EFA_LABEL], "values": ["true"]},
        "tolerations": everywhere(),
    }
