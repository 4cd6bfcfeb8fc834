"""The Kubernetes API of one played EKS cluster: its nodes are the simulated fleet's, its pods run there."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from bedplate.sandbox.eks.caller_token import is_caller_token
from bedplate.sandbox.eks.records import EksNode, PlayedEksCluster, kubernetes_nodes, kubernetes_objects
from bedplate.sandbox.fleet.errors import UnknownNode
from bedplate.sandbox.fleet.fleet import Fleet
from bedplate.sandbox.fleet.leaves import network_nodes
from bedplate.sandbox.kubernetes.cluster import Cluster
from bedplate.sandbox.kubernetes.fleet_nodes import network_labels, node_object, reported
from bedplate.sandbox.kubernetes.kinds import NODES
from bedplate.sandbox.kubernetes.node_runner import NodeRunner
from bedplate.sandbox.kubernetes.runner import Host
from bedplate.sandbox.kubernetes.status import ApiStatus
from bedplate.sandbox.kubernetes.store import Object, Store


class PlayedApi:
    """SIMULATED: objects of manifests and of charts are there as they were applied, and no controller of a
    chart acts on them; whoever has a token of the form may do everything.
    """

    def __init__(self, cluster: PlayedEksCluster, fleet: Fleet) -> None:
        self._cluster = cluster
        self._fleet = fleet
        self._lock = threading.Lock()
        self.store = Store()
        self._played = Cluster(
            store=self.store,
            minor=int(str(cluster.described["version"]).partition(".")[2]),
            runner=NodeRunner(self.store, self._host_of),
            lets_in=is_caller_token,
            refresh=self.refresh,
        )

    @property
    def url(self) -> str:
        """The address for clients."""
        return self._played.server.url

    def start(self) -> None:
        """Serve from now on, until ``close``."""
        self._played.__enter__()

    def close(self) -> None:
        """End all pods, and the server."""
        self._played.__exit__()

    def refresh(self) -> None:
        """Bring the store up to date with what EKS and the fleet know."""
        with self._lock:
            for document in kubernetes_objects(self._cluster):
                self._apply(document)
            nodes = {one.name: one for one in kubernetes_nodes(self._cluster)}
            for gone in {one["metadata"]["name"] for one in self.store.objects(NODES)[0]} - nodes.keys():
                self.store.remove(NODES, "", gone)
            for node in nodes.values():
                self._join(node)

    def _apply(self, document: Mapping[str, Any]) -> None:
        """An object of a kind that is served; others are in EKS's records alone."""
        kind = next(
            (
                one
                for one in self.store.kinds
                if one.kind == document.get("kind") and one.api_version == document.get("apiVersion")
            ),
            None,
        )
        if kind is None:
            return
        meta = document["metadata"]
        if self.store.find(kind, meta.get("namespace", ""), meta["name"]) is None:
            try:
                self.store.create(kind, document)
            except ApiStatus as refused:
                # Its namespace comes later in the list: then with the next look.
                if refused.code != 404:
                    raise

    def _join(self, node: EksNode) -> None:
        found = self._object(node)
        if found is None:
            return
        if self.store.find(NODES, "", node.name) is None:
            self.store.create(NODES, found)
        else:
            self.store.update(NODES, "", node.name, partial(reported, new=found, now=self.store.now()))

    def _object(self, node: EksNode) -> Object | None:
        """None for a node that boots, or that goes at this moment: no kubelet of it has told anything."""
        try:
            truth = self._fleet.truth(node.instance_id)
            if not truth.effects.unreachable and not self._fleet.answers(node.instance_id):
                return None
            places = self._fleet.compute_nodes()
        except UnknownNode:
            return None
        network = network_nodes(places.index(node.instance_id)) if node.instance_id in places else ()
        labels = {**node.labels, **network_labels(network)}
        return node_object(truth, name=node.name, zone=node.zone, labels=labels, taints=node.taints)

    def _host_of(self, name: str) -> Host:
        """Raises ``NodeUnreachable``, and ``KeyError`` for a node that is gone."""
        nodes = {one.name: one.instance_id for one in kubernetes_nodes(self._cluster)}
        environment = self._fleet.environment(nodes[name])
        return Host(environment, self._fleet.truth(nodes[name]).root)
