"""AWS::PCS::Cluster."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.pcs_names import refuse_second_of_name
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import lower_camel

SLURM_VERSIONS = ("24.11", "25.05", "25.11", "26.05")
"""Versions that PCS offers, read 2026-11
(https://docs.aws.amazon.com/pcs/latest/userguide/slurm-versions.html)."""
PORTS = {"SLURMCTLD": "6817", "SLURMDBD": "6819", "SLURMRESTD": "6820"}


def pcs_id() -> str:
    """An id in PCS's style."""
    return f"pcs_{uuid.uuid4().hex[:10]}"


class PcsClusterHandler(GenericHandler):
    """A cluster with its endpoints; deletion is refused while node groups or queues exist."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Create the cluster record."""
        version = str(request.properties["Scheduler"]["Version"])
        if version not in SLURM_VERSIONS:
            raise ResourceError(f"Slurm {version} is not offered; PCS has {', '.join(SLURM_VERSIONS)}")
        subnets = request.properties["Networking"].get("SubnetIds") or []
        if len(subnets) != 1:
            raise ResourceError(f"Networking.SubnetIds must hold exactly one subnet, not {len(subnets)}")
        ec2_backends[request.account][request.region].get_subnet(subnets[0])
        home = request.arn("pcs", "cluster/")
        neighbours = [each for each in self._sandbox.pcs.clusters.values() if each["arn"].startswith(home)]
        refuse_second_of_name("cluster", request.properties.get("Name"), neighbours)
        made = super().create(request)
        self._record(request, made)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over changed Slurm settings."""
        new = super().update(request, made, old)
        self._record(request, new)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while anything is in the cluster."""
        cluster_id = made.state["Id"]
        records = self._sandbox.pcs
        for kind, items in (("node groups", records.node_groups), ("queues", records.queues)):
            if any(item["clusterId"] == cluster_id for item in items.values()):
                raise ResourceError(f"ConflictException: cluster {cluster_id} still has {kind}")
        records.clusters.pop(cluster_id, None)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id, ARN and one endpoint per daemon that is switched on."""
        cluster_id = values["Id"] if str(values.get("Id", "")).startswith("pcs_") else pcs_id()
        settings = request.properties.get("SlurmConfiguration") or {}
        daemons = ["SLURMCTLD"]
        daemons += ["SLURMDBD"] if (settings.get("Accounting") or {}).get("Mode") == "STANDARD" else []
        daemons += ["SLURMRESTD"] if (settings.get("SlurmRest") or {}).get("Mode") == "STANDARD" else []
        return {
            "Id": cluster_id,
            "Arn": request.arn("pcs", f"cluster/{cluster_id}"),
            "Status": "ACTIVE",
            "ErrorInfo": [],
            "Endpoints": [
                {"Type": daemon, "PrivateIpAddress": f"10.255.0.{10 + index}", "Port": PORTS[daemon]}
                for index, daemon in enumerate(daemons)
            ],
        }

    def _record(self, request: ResourceRequest, made: Made) -> None:
        state = made.state
        now = datetime.now(UTC)
        known = self._sandbox.pcs.clusters.get(state["Id"], {})
        self._sandbox.pcs.clusters[state["Id"]] = {
            "name": state.get("Name") or known.get("name") or generated_name(request, longest=40),
            "id": state["Id"],
            "arn": state["Arn"],
            "status": "ACTIVE",
            "createdAt": known.get("createdAt", now),
            "modifiedAt": now,
            "scheduler": lower_camel(state["Scheduler"]),
            "size": state["Size"],
            "slurmConfiguration": lower_camel(state.get("SlurmConfiguration") or {}),
            "networking": lower_camel(state["Networking"]),
            "endpoints": lower_camel(state["Endpoints"]),
        }
