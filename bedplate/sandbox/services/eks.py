"""The EKS API: what Bedplate and the kubectl of an operator ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.eks.versions import ADDONS, addon_versions
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.eks_node_groups import update_config
from bedplate.sandbox.services.service import ApiError, Call, Service


class EksApi:
    """Reads clusters and what is in them, and changes the settings of node groups."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def service(self) -> Service:
        """The table of operations."""
        return Service(
            "eks",
            {
                "ListClusters": self._list_clusters,
                "DescribeCluster": lambda call: {"cluster": self._cluster(call).described},
                "ListNodegroups": lambda call: {"nodegroups": list(self._cluster(call).node_groups)},
                "DescribeNodegroup": lambda call: {"nodegroup": self._node_group(call)},
                "UpdateNodegroupConfig": self._update_node_group,
                "ListAddons": lambda call: {"addons": list(self._cluster(call).addons)},
                "DescribeAddon": lambda call: {
                    "addon": _found(self._cluster(call).addons, call.need("addonName"), "addon")
                },
                "DescribeAddonVersions": _addon_versions,
                "ListAccessEntries": lambda call: {"accessEntries": list(self._cluster(call).access_entries)},
                "DescribeAccessEntry": lambda call: {
                    "accessEntry": _found(
                        self._cluster(call).access_entries, call.need("principalArn"), "access entry"
                    )
                },
                "ListAssociatedAccessPolicies": self._policies,
                "ListPodIdentityAssociations": self._identities,
                "DescribePodIdentityAssociation": lambda call: {
                    "association": _found(
                        self._cluster(call).pod_identities, call.need("associationId"), "association"
                    )
                },
            },
        )

    def _cluster(self, call: Call) -> PlayedEksCluster:
        name = str(call.get("clusterName") or call.need("name"))
        found = self._sandbox.eks.find(call.account, call.region, name)
        if found is None:
            raise ApiError("ResourceNotFoundException", f"No cluster found for name: {name}.")
        return found

    def _list_clusters(self, call: Call) -> Mapping[str, Any]:
        return {"clusters": [each.name for each in self._sandbox.eks.of(call.account, call.region)]}

    def _node_group(self, call: Call) -> dict[str, Any]:
        groups = self._cluster(call).node_groups
        found: dict[str, Any] = _found(groups, call.need("nodegroupName"), "node group")
        return found

    def _update_node_group(self, call: Call) -> Mapping[str, Any]:
        return update_config(self._sandbox, self._cluster(call), self._node_group(call), call)

    def _policies(self, call: Call) -> Mapping[str, Any]:
        cluster, principal = self._cluster(call), call.need("principalArn")
        policies = cluster.access_policies
        return {
            "clusterName": cluster.name,
            "principalArn": principal,
            "associatedAccessPolicies": _found(policies, principal, "access entry"),
        }

    def _identities(self, call: Call) -> Mapping[str, Any]:
        wanted = {name: call.get(name) for name in ("namespace", "serviceAccount") if call.get(name)}
        return {
            "associations": [
                each
                for each in self._cluster(call).pod_identities.values()
                if all(each[name] == value for name, value in wanted.items())
            ]
        }


def _addon_versions(call: Call) -> Mapping[str, Any]:
    wanted = call.get("addonName")
    names = [each for each in ADDONS if wanted in (None, each)]
    return {"addons": [addon_versions(each, call.get("kubernetesVersion")) for each in names]}


def _found(items: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in items:
        raise ApiError("ResourceNotFoundException", f"No {what} found for {name}.")
    return items[name]
