"""AWS::RDS::DBSubnetGroup, told by moto's RDS, which takes subnets in one zone too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.rds.models import rds_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest

LEAST_ZONES = 2
"""RDS User Guide, "Working with DB subnet groups"."""


class RdsSubnetGroupHandler:
    """Subnets of one VPC in two zones at least; kept while a cluster stands in it."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the group."""
        subnets = _subnets(request)
        # RDS writes names in lower case.
        name = str(request.properties.get("DBSubnetGroupName") or generated_name(request)).lower()
        backend = rds_backends[request.account][request.region]
        if name in backend.subnet_groups:
            raise ResourceError(f"DBSubnetGroupAlreadyExists: DB subnet group '{name}' already exists.")
        group = backend.create_subnet_group(
            name, request.properties["DBSubnetGroupDescription"], subnets, _tags(request)
        )
        return Made(name, {"DBSubnetGroupName": name, "DBSubnetGroupArn": group.arn}.__getitem__, group)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take other subnets, of the same VPC."""
        made.state.subnets = _subnets(request, vpc_id=made.state.vpc_id)
        made.state.description = request.properties["DBSubnetGroupDescription"]
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while a cluster stands in it; one that is gone is no error."""
        backend = rds_backends[request.account][request.region]
        users = [
            name
            for name, cluster in backend.clusters.items()
            if cluster.db_subnet_group_name == made.physical_id
        ]
        if users:
            raise ResourceError(
                f"InvalidDBSubnetGroupStateFault: Cannot delete the subnet group '{made.physical_id}' because"
                f" at least one database cluster: {users[0]} is still using it."
            )
        backend.subnet_groups.pop(made.physical_id, None)


def _subnets(request: ResourceRequest, *, vpc_id: str | None = None) -> list[Any]:
    backend = ec2_backends[request.account][request.region]
    subnets = [backend.get_subnet(subnet_id) for subnet_id in request.properties["SubnetIds"]]
    vpcs = {subnet.vpc_id for subnet in subnets} | ({vpc_id} if vpc_id else set())
    if len(vpcs) > 1:
        raise ResourceError("InvalidParameterValue: The subnets of a DB subnet group must be in one VPC.")
    zones = {subnet.availability_zone for subnet in subnets}
    if len(zones) < LEAST_ZONES:
        raise ResourceError(
            "DBSubnetGroupDoesNotCoverEnoughAZs: The DB subnet group doesn't meet Availability Zone (AZ)"
            f" coverage requirement. Current AZ coverage: {', '.join(sorted(zones))}. Add subnets to cover at"
            f" least {LEAST_ZONES} AZs."
        )
    return subnets


def _tags(request: ResourceRequest) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in request.all_tags().items()]
