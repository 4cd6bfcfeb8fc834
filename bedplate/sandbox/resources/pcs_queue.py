"""AWS::PCS::Queue."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.pcs_cluster import pcs_id
from bedplate.sandbox.resources.pcs_names import refuse_one_too_many, refuse_second_of_name
from bedplate.sandbox.resources.pcs_partitions import tell_partitions
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import lower_camel


class PcsQueueHandler(GenericHandler):
    """A Slurm partition over node groups of the same cluster."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Create the queue record."""
        neighbours = self._sandbox.pcs.queues_of(request.properties["ClusterId"])
        refuse_second_of_name("queue", request.properties.get("Name"), neighbours)
        refuse_one_too_many("queue", neighbours)
        made = super().create(request)
        self._record(made)
        tell_partitions(self._sandbox, cluster_id=made.state["ClusterId"])
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over other node groups."""
        new = super().update(request, made, old)
        self._record(new)
        tell_partitions(self._sandbox, cluster_id=new.state["ClusterId"])
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Forget the queue."""
        self._sandbox.pcs.queues.pop(made.state["Id"], None)
        tell_partitions(self._sandbox, cluster_id=made.state["ClusterId"])

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id and ARN in PCS's style."""
        cluster_id = request.properties["ClusterId"]
        if cluster_id not in self._sandbox.pcs.clusters:
            raise ResourceError(f"ResourceNotFoundException: cluster {cluster_id} does not exist")
        for member in request.properties.get("ComputeNodeGroupConfigurations") or []:
            group = self._sandbox.pcs.node_groups.get(member.get("ComputeNodeGroupId", ""))
            if group is None or group["clusterId"] != cluster_id:
                raise ResourceError(
                    f"ResourceNotFoundException: node group {member.get('ComputeNodeGroupId')}"
                )
        queue_id = values["Id"] if str(values.get("Id", "")).startswith("pcs_") else pcs_id()
        arn = request.arn("pcs", f"cluster/{cluster_id}/queue/{queue_id}")
        return {"Id": queue_id, "Arn": arn, "Status": "ACTIVE", "ErrorInfo": []}

    def _record(self, made: Made) -> None:
        state, now = made.state, datetime.now(UTC)
        known = self._sandbox.pcs.queues.get(state["Id"], {})
        self._sandbox.pcs.queues[state["Id"]] = {
            "name": state.get("Name") or known.get("name") or made.state["Id"],
            "id": state["Id"],
            "arn": state["Arn"],
            "clusterId": state["ClusterId"],
            "status": "ACTIVE",
            "createdAt": known.get("createdAt", now),
            "modifiedAt": now,
            "computeNodeGroupConfigurations": lower_camel(state.get("ComputeNodeGroupConfigurations") or []),
            "slurmConfiguration": lower_camel(state.get("SlurmConfiguration") or {}),
        }
