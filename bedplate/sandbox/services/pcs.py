"""The PCS API: what validation reads of it, and what the scaler of Capacity Blocks changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_scaling import update_scaling
from bedplate.sandbox.services.service import ApiError, Call, Service

_SUMMARY = ("name", "id", "arn", "clusterId", "createdAt", "modifiedAt", "status")


class PcsApi:
    """Reads clusters, node groups and queues by id or name, and scales node groups."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._records = sandbox.pcs

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "pcs",
            {
                "ListClusters": lambda call: {
                    "clusters": [_summary(item) for item in self._records.clusters.values()]
                },
                "GetCluster": lambda call: {"cluster": self._cluster(call)},
                "ListComputeNodeGroups": lambda call: {
                    "computeNodeGroups": self._listed(self._records.node_groups, call)
                },
                "GetComputeNodeGroup": lambda call: {
                    "computeNodeGroup": self._member(
                        self._records.node_groups, call, "computeNodeGroupIdentifier"
                    )
                },
                "UpdateComputeNodeGroup": self._update_node_group,
                "ListQueues": lambda call: {"queues": self._listed(self._records.queues, call)},
                "GetQueue": lambda call: {
                    "queue": self._member(self._records.queues, call, "queueIdentifier")
                },
            },
        )

    def _update_node_group(self, call: Call) -> Mapping[str, Any]:
        found = self._member(self._records.node_groups, call, "computeNodeGroupIdentifier")
        return update_scaling(self._sandbox, call, self._records.node_groups[found["id"]])

    def _cluster(self, call: Call) -> Mapping[str, Any]:
        return _find(self._records.clusters, call.need("clusterIdentifier"))

    def _listed(self, items: Mapping[str, Mapping[str, Any]], call: Call) -> list[dict[str, Any]]:
        cluster_id = self._cluster(call)["id"]
        return [_summary(item) for item in items.values() if item["clusterId"] == cluster_id]

    def _member(self, items: Mapping[str, Mapping[str, Any]], call: Call, name: str) -> Mapping[str, Any]:
        cluster_id = self._cluster(call)["id"]
        return _find(
            {key: item for key, item in items.items() if item["clusterId"] == cluster_id}, call.need(name)
        )


def _summary(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in _SUMMARY if name in item}


def _find(items: Mapping[str, Mapping[str, Any]], identifier: str) -> Mapping[str, Any]:
    for item in items.values():
        if identifier in (item["id"], item["name"], item["arn"]):
            return item
    raise ApiError("ResourceNotFoundException", f"{identifier} does not exist")
