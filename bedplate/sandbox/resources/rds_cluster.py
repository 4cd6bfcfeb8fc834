"""AWS::RDS::DBCluster (Aurora MySQL), told by moto's RDS, which believes whatever it is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.rds.models import rds_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.rds_refusal import or_refused, refuse_unknown_version

ENGINE = "aurora-mysql"
UNASKED_VERSION = "8.0.mysql_aurora.3.10.4"
"""What a cluster is made of that asks for no version; which one that is at AWS changes."""
_PASSWORD = re.compile(r"[^/'\"@ \x00-\x1f\x7f-\uffff]{8,41}")
"""RDS API, CreateDBCluster, ``MasterUserPassword``."""
LOGS = frozenset({"audit", "error", "general", "iam-db-auth-error", "instance", "slowquery"})


class RdsClusterHandler:
    """A cluster without an instance: it has its names and answers nobody. A protected one is not deleted."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the cluster."""
        properties = request.properties
        backend = rds_backends[request.account][request.region]
        _check(request, at_creation=True)
        identifier = str(properties.get("DBClusterIdentifier") or generated_name(request)).lower()
        if identifier in backend.clusters:
            raise ResourceError("DBClusterAlreadyExistsFault: DB Cluster already exists")
        cluster = or_refused(lambda: backend.create_db_cluster(_for_moto(request, identifier)))
        return _made(request, cluster)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Change it in place; what it is made of and where it stands is create-only."""
        _check(request, at_creation=False)
        wanted = _for_moto(request, made.physical_id)
        for name in _CHANGEABLE:
            setattr(made.state, name, wanted[name])
        made.state.parameter_group = wanted["db_cluster_parameter_group_name"] or made.state.parameter_group
        made.state.enabled_cloudwatch_logs_exports = wanted["enable_cloudwatch_logs_exports"]
        return _made(request, made.state)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse where it is protected or has instances; one that is gone is no error."""
        backend = rds_backends[request.account][request.region]
        if made.physical_id in backend.clusters:
            or_refused(lambda: backend.delete_db_cluster(made.physical_id))


_CHANGEABLE = (
    "backup_retention_period",
    "copy_tags_to_snapshot",
    "deletion_protection",
    "engine_version",
    "master_user_password",
    "serverless_v2_scaling_configuration",
    "vpc_security_group_ids",
)


def _check(request: ResourceRequest, *, at_creation: bool) -> None:
    properties = request.properties
    engine = properties.get("Engine")
    if engine != ENGINE:
        raise ResourceError(f"InvalidParameterValue: the sandbox plays clusters of {ENGINE}, not of {engine}")
    version = str(properties.get("EngineVersion") or UNASKED_VERSION)
    refuse_unknown_version(ENGINE, version, at_creation=at_creation)
    password = properties.get("MasterUserPassword")
    if password is None or not _PASSWORD.fullmatch(str(password)):
        raise ResourceError(
            "InvalidParameterValue: The parameter MasterUserPassword is not a valid password. Only 8 to 41"
            " printable ASCII characters besides '/', '@', '\"', ' ' may be used."
        )
    days = int(properties.get("BackupRetentionPeriod", 1))
    if not 1 <= days <= 35:
        raise ResourceError(f"InvalidParameterValue: Invalid backup retention period: {days}")
    unknown = sorted(set(properties.get("EnableCloudwatchLogsExports") or []) - LOGS)
    if unknown:
        raise ResourceError(f"InvalidParameterCombination: You cannot use the log type '{unknown[0]}'")
    _check_capacity(properties.get("ServerlessV2ScalingConfiguration"))
    _check_surroundings(request, major=version[:3])


def _check_capacity(scaling: Mapping[str, Any] | None) -> None:
    if scaling is None:
        return
    least, most = float(scaling.get("MinCapacity", 0)), float(scaling.get("MaxCapacity", 0))
    if not (0 <= least <= most and 1 <= most <= 256) or least % 0.5 or most % 0.5:
        raise ResourceError(
            "InvalidParameterValue: Serverless v2 capacity is 0 to 256 ACU in steps of 0.5, the maximum at"
            f" least 1 and at least the minimum; {least} to {most} given"
        )


def _check_surroundings(request: ResourceRequest, *, major: str) -> None:
    """Subnets, parameters of the engine's own family, and security groups of the subnets' VPC."""
    properties = request.properties
    backend = rds_backends[request.account][request.region]
    wanted = properties.get("DBSubnetGroupName")
    subnets = backend.subnet_groups.get(wanted or "")
    if subnets is None:
        raise ResourceError(f"DBSubnetGroupNotFoundFault: DB subnet group '{wanted}' does not exist.")
    name = properties.get("DBClusterParameterGroupName")
    if name is not None:
        group = backend.db_cluster_parameter_groups.get(name)
        if group is None:
            raise ResourceError(f"DBClusterParameterGroupNotFound: DBClusterParameterGroup not found: {name}")
        if group.db_parameter_group_family != f"{ENGINE}{major}":
            raise ResourceError(
                f"InvalidParameterCombination: The Parameter Group {name} with DBParameterGroupFamily"
                f" {group.db_parameter_group_family} cannot be used for this instance. Please use a Parameter"
                f" Group with DBParameterGroupFamily {ENGINE}{major}"
            )
    for group_id in properties.get("VpcSecurityGroupIds") or []:
        found = ec2_backends[request.account][request.region].get_security_group_from_id(group_id)
        if found is None or found.vpc_id != subnets.vpc_id:
            raise ResourceError(
                f"InvalidParameterCombination: security group {group_id} is not in VPC {subnets.vpc_id}"
            )


def _for_moto(request: ResourceRequest, identifier: str) -> dict[str, Any]:
    properties = request.properties
    scaling: Mapping[str, Any] = properties.get("ServerlessV2ScalingConfiguration") or {}
    return {
        "db_cluster_identifier": identifier,
        "engine": ENGINE,
        "engine_version": str(properties.get("EngineVersion") or UNASKED_VERSION),
        "master_username": properties.get("MasterUsername"),
        "master_user_password": str(properties["MasterUserPassword"]),
        "db_subnet_group_name": properties["DBSubnetGroupName"],
        "db_cluster_parameter_group_name": properties.get("DBClusterParameterGroupName"),
        "vpc_security_group_ids": list(properties.get("VpcSecurityGroupIds") or []),
        "port": int(properties.get("Port", 3306)),
        "storage_encrypted": _true(properties.get("StorageEncrypted")),
        "kms_key_id": properties.get("KmsKeyId"),
        "backup_retention_period": int(properties.get("BackupRetentionPeriod", 1)),
        "copy_tags_to_snapshot": _true(properties.get("CopyTagsToSnapshot")),
        "deletion_protection": _true(properties.get("DeletionProtection")),
        "enable_cloudwatch_logs_exports": list(properties.get("EnableCloudwatchLogsExports") or []),
        "serverless_v2_scaling_configuration": {
            key: scaling[name]
            for key, name in (("min_capacity", "MinCapacity"), ("max_capacity", "MaxCapacity"))
            if name in scaling
        },
        "tags": [{"Key": key, "Value": value} for key, value in request.all_tags().items()],
    }


def _true(value: object) -> bool:
    return value in (True, "true")


def _made(request: ResourceRequest, cluster: Any) -> Made:
    attributes = {
        "DBClusterIdentifier": cluster.db_cluster_identifier,
        "DBClusterArn": cluster.db_cluster_arn,
        "DBClusterResourceId": cluster.db_cluster_resource_id,
        "Endpoint.Address": cluster.endpoint,
        "Endpoint.Port": str(cluster.port),
        "ReadEndpoint.Address": cluster.reader_endpoint,
    }
    return Made(cluster.db_cluster_identifier, attributes.__getitem__, cluster)
