"""AWS::RDS::DBInstance of an Aurora cluster, with the interface that holds subnet and group in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.rds.models import rds_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.moto_databases import give_interface
from bedplate.sandbox.resources.rds_refusal import or_refused

SERVERLESS = "db.serverless"


class RdsInstanceHandler:
    """An instance of a cluster that is there; the first one makes the cluster answer."""

    def create(self, request: ResourceRequest) -> Made:
        """Make the instance in the cluster's subnets, where the fewest others are."""
        properties = request.properties
        backend = rds_backends[request.account][request.region]
        cluster = backend.clusters.get(str(properties.get("DBClusterIdentifier")))
        if cluster is None:
            raise ResourceError(
                f"DBClusterNotFoundFault: DBCluster {properties.get('DBClusterIdentifier')} not found; the"
                " sandbox plays instances of clusters alone"
            )
        serverless = properties.get("DBInstanceClass") == SERVERLESS
        if serverless and not cluster.serverless_v2_scaling_configuration:
            raise ResourceError(
                "InvalidParameterCombination: Set the Serverless v2 scaling configuration on the parent DB"
                " cluster before creating a Serverless v2 DB instance."
            )
        for name in ("DeletionProtection", "StorageEncrypted", "MasterUserPassword"):
            if name in properties:
                raise ResourceError(
                    f"InvalidParameterCombination: {name} is the cluster's, not an instance's"
                )
        identifier = str(properties.get("DBInstanceIdentifier") or generated_name(request)).lower()
        subnet = _emptiest_subnet(backend, cluster)
        instance = or_refused(
            lambda: backend.create_db_instance(
                {
                    "db_instance_identifier": identifier,
                    "db_instance_class": properties["DBInstanceClass"],
                    "db_cluster_identifier": cluster.db_cluster_identifier,
                    "db_subnet_group_name": cluster.db_subnet_group_name,
                    "availability_zone": subnet.availability_zone,
                    "engine": properties.get("Engine"),
                    "port": cluster.port,
                    "promotion_tier": int(properties.get("PromotionTier", 1)),
                    "publicly_accessible": properties.get("PubliclyAccessible") in (True, "true"),
                    "tags": [{"Key": key, "Value": value} for key, value in request.all_tags().items()],
                }
            )
        )
        interface = ec2_backends[request.account][request.region].create_network_interface(
            subnet,
            subnet.get_available_subnet_ip(instance=None),
            group_ids=list(cluster.vpc_security_group_ids),
            description="RDSNetworkInterface",
        )
        give_interface(instance, str(interface.id))
        return Made(identifier, _attributes(instance).__getitem__, instance)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take another class or rank; all else is the cluster's or create-only."""
        instance = made.state
        instance.db_instance_class = request.properties["DBInstanceClass"]
        instance.promotion_tier = int(request.properties.get("PromotionTier", 1))
        return made

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Delete it; its network interface goes along. One that is gone is no error."""
        backend = rds_backends[request.account][request.region]
        if made.physical_id in backend.databases:
            or_refused(lambda: backend.delete_db_instance(made.physical_id, skip_final_snapshot=True))


def _emptiest_subnet(backend: Any, cluster: Any) -> Any:
    subnets = backend.subnet_groups[cluster.db_subnet_group_name]._subnets
    taken = [each.availability_zone for each in cluster.members]
    return min(subnets, key=lambda subnet: taken.count(subnet.availability_zone))


def _attributes(instance: Any) -> dict[str, Any]:
    return {
        "DBInstanceIdentifier": instance.db_instance_identifier,
        "DBInstanceArn": instance.arn,
        "DbiResourceId": instance.dbi_resource_id,
        "Endpoint.Address": instance.address,
        "Endpoint.Port": str(instance.port),
    }
