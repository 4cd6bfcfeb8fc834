"""EC2 TerminateInstances of a cluster's instances: they end, and PCS, ParallelCluster or the scaling group of
an EKS node group brings others.

AWS documents the minimum as the number of instances that a group always has; that PCS fills a place which
somebody emptied by hand has not been tried by this project.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.resources.eks_instances import EksInstances
from bedplate.sandbox.resources.parallelcluster_instances import ParallelClusterInstances
from bedplate.sandbox.resources.pcs_instances import PcsInstances
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import upper_camel
from bedplate.sandbox.services.service import ApiError, Call

LOG = logging.getLogger("bedplate.sandbox.pcs")
_CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}


class InstanceEnds:
    """Ends instances as EC2 does, and plays PCS, which sees the gap and fills it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lock = threading.Lock()

    def terminate(self, call: Call) -> Mapping[str, Any]:
        """All or none: an id that is not there refuses the whole call, as EC2 does."""
        backend = ec2_backends[call.account][call.region]
        ids = list(dict.fromkeys(call.need("InstanceIds")))
        known = {one.id: one for each in backend.reservations.values() for one in each.instances}
        missing = [one for one in ids if one not in known]
        if missing:
            raise ApiError("InvalidInstanceID.NotFound", f"The instance ID '{missing[0]}' does not exist")
        before = {one: str(known[one].state) for one in ids}
        owners = {
            one: group
            for group, members in self._sandbox.pcs.instances.items()
            for one in members
            if one in ids
        }
        with self._lock:
            of_clusters = self._replace_in_clusters(call, ids) | self._replace_in_node_groups(ids)
            for one in ids:
                if one not in owners and one not in of_clusters:
                    backend.terminate_instances([one])
            for group_id in dict.fromkeys(owners.values()):
                self._replace(call, group_id, [one for one in ids if owners.get(one) == group_id])
        return {
            "TerminatingInstances": [
                {
                    "InstanceId": one,
                    "PreviousState": {"Code": _CODES.get(before[one], 16), "Name": before[one]},
                    "CurrentState": {"Code": 32, "Name": "shutting-down"},
                }
                for one in ids
            ]
        }

    def _replace_in_clusters(self, call: Call, ids: list[str]) -> set[str]:
        """ParallelCluster's daemon on the head node replaces static nodes that are gone; which ids were
        such.
        """
        instances, found = ParallelClusterInstances(self._sandbox), set()
        for cluster in self._sandbox.parallelcluster.clusters.values():
            request = _request(call, cluster.name, "Custom::PclusterCluster")
            owned = {name: [one for one in ids if one in each] for name, each in cluster.instances.items()}
            found |= {one for each in owned.values() for one in each}
            for name, each in owned.items():
                instances.end(request, cluster, name, each)
            if any(owned.values()):
                try:
                    instances.scale(request, cluster)
                except ResourceError as error:
                    LOG.warning("no instance in place of %s: %s", ", ".join(ids), error)
        return found

    def _replace_in_node_groups(self, ids: list[str]) -> set[str]:
        """The Auto Scaling group of an EKS node group keeps its size; which ids were such."""
        found = {one: owner for one in ids if (owner := self._sandbox.eks.owner_of(one)) is not None}
        for one, (cluster, group) in found.items():
            instances = EksInstances(self._sandbox, cluster)
            instances.end([one])
            try:
                instances.scale(group)
            except ResourceError as error:
                LOG.warning("no instance in place of %s: %s", one, error)
        return set(found)

    def _replace(self, call: Call, group_id: str, ids: list[str]) -> None:
        group = self._sandbox.pcs.node_groups[group_id]
        request = _request(call, group["name"], "AWS::PCS::ComputeNodeGroup")
        instances = PcsInstances(self._sandbox)
        instances.end(request, group_id, ids)
        try:
            instances.scale(request, upper_camel(group))
        except ResourceError as error:
            # PCS tries again and again; whoever waits for the instance sees that none comes.
            LOG.warning("no instance in place of %s: %s", ", ".join(ids), error)


def _request(call: Call, logical_id: str, type_name: str) -> ResourceRequest:
    return ResourceRequest(
        account=call.account,
        region=call.region,
        stack_id="",
        stack_name="",
        logical_id=logical_id,
        type_name=type_name,
        properties={},
    )
