"""What the sandbox's clusters hold, as a page for people and tests: AWS has nothing like it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bedplate.sandbox.eks.records import EksRecords, kubernetes_nodes, kubernetes_objects

PATH = "/bedplate/eks"


def eks_page(records: EksRecords) -> dict[str, Any]:
    """Cluster name → its releases, objects and nodes."""
    return {
        cluster.name: {
            "releases": [asdict(each) for each in cluster.releases.values()],
            "objects": kubernetes_objects(cluster),
            "nodes": [asdict(each) for each in kubernetes_nodes(cluster)],
        }
        for cluster in records.clusters.values()
    }
