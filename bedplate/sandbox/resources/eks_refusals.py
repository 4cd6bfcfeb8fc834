"""What EKS refuses of a cluster (EKS API, CreateCluster, UpdateClusterConfig and UpdateClusterVersion)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends
from moto.kms.models import kms_backends

from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.versions import KUBERNETES_VERSIONS

Row = Mapping[str, Any]
_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_TRUSTED = "eks.amazonaws.com"
LEAST_ZONES = 2


def cluster_problems(request: ResourceRequest) -> list[str]:
    """Everything that is wrong with the properties of AWS::EKS::Cluster; empty where nothing is."""
    return [*_names(request.properties), *_surroundings(request), *_role(request), *_key(request)]


def update_problems(request: ResourceRequest, old: Row) -> list[str]:
    """Changes that EKS does not make in place."""
    return [*_version_change(request.properties, old), *_zone_change(request, old)]


def zones_of(request: ResourceRequest, subnets: list[str]) -> set[str]:
    """The zones that subnets lie in."""
    backend = ec2_backends[request.account][request.region]
    return {str(backend.get_subnet(each).availability_zone_id) for each in subnets}


def _names(properties: Row) -> Iterator[str]:
    name = str(properties.get("Name", ""))
    if not _NAME.fullmatch(name):
        yield f"{name!r} is no name of a cluster: letters, digits, - and _, at most 100"
    version = properties.get("Version", KUBERNETES_VERSIONS[-1])
    if version not in KUBERNETES_VERSIONS:
        yield f"unsupported Kubernetes version {version}; EKS has {', '.join(KUBERNETES_VERSIONS)}"


def _surroundings(request: ResourceRequest) -> Iterator[str]:
    network = request.properties["ResourcesVpcConfig"]
    subnets = list(network.get("SubnetIds") or [])
    backend = ec2_backends[request.account][request.region]
    vpcs = {str(backend.get_subnet(each).vpc_id) for each in subnets}
    if len(vpcs) > 1:
        yield f"subnets lie in several VPCs: {', '.join(sorted(vpcs))}"
    zones = zones_of(request, subnets)
    if len(zones) < LEAST_ZONES:
        yield f"Subnets specified must be in at least two different AZs, not {', '.join(sorted(zones))}"
    for each in network.get("SecurityGroupIds") or []:
        group = backend.get_security_group_from_id(each)
        if group is None or str(group.vpc_id) not in vpcs:
            yield f"security group {each} does not exist in {', '.join(sorted(vpcs))}"
    public = _true(network.get("EndpointPublicAccess", True))
    if not public and not _true(network.get("EndpointPrivateAccess", False)):
        yield "Private and public endpoint access cannot be false"


def _role(request: ResourceRequest) -> Iterator[str]:
    arn = str(request.properties["RoleArn"])
    roles = {role.arn: role for role in iam_backends[request.account]["aws"].roles.values()}
    if arn not in roles:
        yield f"Role {arn} does not exist"
    elif _TRUSTED not in str(roles[arn].assume_role_policy_document):
        yield f"Role {arn} does not trust {_TRUSTED}"


def _key(request: ResourceRequest) -> Iterator[str]:
    keys = kms_backends[request.account][request.region].keys.values()
    known = {name for key in keys for name in (key.id, key.arn)}
    for each in request.properties.get("EncryptionConfig") or []:
        arn = (each.get("Provider") or {}).get("KeyArn")
        if arn not in known:
            yield f"KMS key {arn} does not exist in {request.region}"
        if each.get("Resources") != ["secrets"]:
            yield "EncryptionConfig.Resources must be [secrets]"


def _version_change(properties: Row, old: Row) -> Iterator[str]:
    before, after = (str(each.get("Version", KUBERNETES_VERSIONS[-1])) for each in (old, properties))
    step = int(after.split(".")[1]) - int(before.split(".")[1])
    if step not in (0, 1):
        yield f"Unsupported Kubernetes minor version update from {before} to {after}"


def _zone_change(request: ResourceRequest, old: Row) -> Iterator[str]:
    before, after = (
        zones_of(request, list(each["ResourcesVpcConfig"].get("SubnetIds") or []))
        for each in (old, request.properties)
    )
    if before != after:
        yield f"subnets must lie in the zones of the cluster's making ({', '.join(sorted(before))})"


def _true(value: Any) -> bool:
    return value in (True, "true")
