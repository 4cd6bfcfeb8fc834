"""The Kubernetes APIs of all played EKS clusters: which runs for which cluster."""

from __future__ import annotations

from bedplate.sandbox.eks.api import PlayedApi
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.fleet.fleet import Fleet
from bedplate.sandbox.nodes import NodeFleet

Key = tuple[str, str, str]


class PlayedApis:
    """One API a cluster, by account, Region and name. A fleet that is no simulated one has none."""

    def __init__(self, fleet: NodeFleet) -> None:
        self._fleet = fleet
        self._apis: dict[Key, PlayedApi] = {}

    def start(self, cluster: PlayedEksCluster) -> str:
        """Serve the cluster's API from now on; its address, empty where the fleet is not simulated."""
        if not isinstance(self._fleet, Fleet):
            return ""
        api = PlayedApi(cluster, self._fleet)
        api.start()
        self._apis[_key(cluster)] = api
        return api.url

    def stop(self, cluster: PlayedEksCluster) -> None:
        """End it, if there is one."""
        api = self._apis.pop(_key(cluster), None)
        if api is not None:
            api.close()

    def close(self) -> None:
        """End all."""
        for api in self._apis.values():
            api.close()
        self._apis.clear()


def _key(cluster: PlayedEksCluster) -> Key:
    return cluster.account, cluster.region, cluster.name
