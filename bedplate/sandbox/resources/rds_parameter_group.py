"""AWS::RDS::DBClusterParameterGroup, told by moto's RDS, which takes any family and any parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.rds.models import rds_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.rds_refusal import or_refused

FAMILIES = frozenset({"aurora-mysql5.7", "aurora-mysql8.0", "aurora-mysql8.4"})
"""Of Aurora MySQL, the one engine that is played."""
NOT_AURORAS = frozenset(
    {
        "innodb_buffer_pool_instances",
        "innodb_data_file_path",
        "innodb_doublewrite",
        "innodb_flush_method",
        "innodb_io_capacity",
        "innodb_io_capacity_max",
        "innodb_log_buffer_size",
        "innodb_log_file_size",
        "innodb_log_files_in_group",
        "innodb_redo_log_capacity",
        "innodb_temp_data_file_path",
        "log_slave_updates",
        "sync_binlog",
    }
)
"""Parameters of MySQL that Aurora's storage has no use for (Aurora User Guide, "MySQL parameters that don't
apply to Aurora MySQL"); not all of them."""


class RdsParameterGroupHandler:
    """Cluster parameters of one family; kept while a cluster uses them."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the group."""
        properties = request.properties
        family = properties["Family"]
        if family not in FAMILIES:
            raise ResourceError(
                f"InvalidParameterValue: ParameterGroupFamily {family} is not a valid parameter group family"
            )
        name = str(properties.get("DBClusterParameterGroupName") or generated_name(request)).lower()
        parameters = _parameters(properties)
        group = or_refused(
            lambda: rds_backends[request.account][request.region].create_db_cluster_parameter_group(
                db_cluster_parameter_group_name=name,
                db_parameter_group_family=family,
                description=properties["Description"],
                tags=[{"Key": key, "Value": value} for key, value in request.all_tags().items()],
            )
        )
        group.update_cluster_parameters(parameters)
        return Made(name, {"DBClusterParameterGroupName": name}.__getitem__, group)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Set other parameters; those that are no longer named go back to their defaults."""
        parameters = _parameters(request.properties)
        made.state.parameters.clear()
        made.state.update_cluster_parameters(parameters)
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while a cluster uses it; one that is gone is no error."""
        backend = rds_backends[request.account][request.region]
        if any(cluster.parameter_group == made.physical_id for cluster in backend.clusters.values()):
            raise ResourceError(
                "InvalidDBParameterGroupState: One or more database instances are still members of this"
                f" parameter group {made.physical_id}, so the group cannot be deleted"
            )
        backend.db_cluster_parameter_groups.pop(made.physical_id, None)


def _parameters(properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    given: Mapping[str, Any] = properties["Parameters"]
    unknown = sorted(NOT_AURORAS & set(given))
    if unknown:
        raise ResourceError(f"InvalidParameterValue: Could not find parameter with name: {unknown[0]}")
    return [
        {"ParameterName": name, "ParameterValue": str(value), "ApplyMethod": "immediate", "Source": "user"}
        for name, value in given.items()
    ]
