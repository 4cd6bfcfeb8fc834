"""What of an environment PCS holds already, as far as it cannot be changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from bedplate.errors import AwsRefused
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.validation.aws import aws_errors, error_code
from bedplate.validation.preflight.context import Preflight

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import SubnetTypeDef
    from types_boto3_pcs.type_defs import ClusterTypeDef


@dataclass(frozen=True, kw_only=True)
class DeployedGroup:
    """A node group: its types, and how many instances it may have."""

    instance_types: tuple[str, ...]
    most_instances: int


@dataclass(frozen=True, kw_only=True)
class DeployedCluster:
    """A cluster with its node groups by name, and the subnets of its VPC by id."""

    size: str
    subnet_id: str
    group_ids: tuple[str, ...]
    groups: dict[str, DeployedGroup]
    subnets: dict[str, SubnetTypeDef]
    vpc_id: str
    vpc_cidr: str


def deployed_cluster(preflight: Preflight) -> DeployedCluster | None:
    """Ask PCS and EC2; None where there is no cluster of the environment's name. Raises ``AwsRefused``."""
    cluster = _cluster(preflight)
    if cluster is None:
        return None
    networking = cluster["networking"]
    (subnet_id,) = networking.get("subnetIds", [""])[:1]
    ec2 = preflight.clients.ec2
    with aws_errors("asking for the subnets of what is deployed"):
        vpc_id = ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0].get("VpcId", "")
        subnets = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])["Subnets"]
        vpc = ec2.describe_vpcs(VpcIds=[vpc_id])["Vpcs"][0]
    return DeployedCluster(
        size=cluster["size"],
        subnet_id=subnet_id,
        group_ids=tuple(networking.get("securityGroupIds", [])),
        groups=_groups(preflight, cluster["id"]),
        subnets={row.get("SubnetId", ""): row for row in subnets},
        vpc_id=vpc_id,
        vpc_cidr=vpc.get("CidrBlock", ""),
    )


def _cluster(preflight: Preflight) -> ClusterTypeDef | None:
    name = cluster_name(preflight.environment.name)
    try:
        with aws_errors(f"asking for the cluster {name}"):
            return preflight.clients.pcs.get_cluster(clusterIdentifier=name)["cluster"]
    except AwsRefused as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and error_code(cause) == "ResourceNotFoundException":
            return None
        raise


def _groups(preflight: Preflight, cluster_id: str) -> dict[str, DeployedGroup]:
    pcs, groups = preflight.clients.pcs, dict[str, DeployedGroup]()
    with aws_errors("asking for the node groups that are deployed"):
        pages = pcs.get_paginator("list_compute_node_groups").paginate(clusterIdentifier=cluster_id)
        for row in [row for page in pages for row in page["computeNodeGroups"]]:
            group = pcs.get_compute_node_group(
                clusterIdentifier=cluster_id, computeNodeGroupIdentifier=row["id"]
            )["computeNodeGroup"]
            types = tuple(each.get("instanceType", "") for each in group["instanceConfigs"])
            most = group["scalingConfiguration"]["maxInstanceCount"]
            groups[row["name"]] = DeployedGroup(instance_types=types, most_instances=most)
    return groups
