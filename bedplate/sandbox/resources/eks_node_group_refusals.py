"""What EKS refuses of a managed node group (EKS User Guide, launch-templates and capacity-blocks-mng)."""

from __future__ import annotations

import email
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.reservations import known_reservations
from bedplate.sandbox.resources.eks_template import security_groups, type_of, user_data
from bedplate.sandbox.sandbox import Sandbox

Row = Mapping[str, Any]
LARGEST_GROUP = 450
"""Nodes of one managed node group unless the quota is raised (EKS User Guide, service-quotas)."""


def group_problems(
    sandbox: Sandbox, request: ResourceRequest, cluster: PlayedEksCluster, template: Row
) -> list[str]:
    """Everything that is wrong with a node group; empty where nothing is."""
    group = request.properties
    return [
        *_scaling(group),
        *_role(request),
        *_said_twice(group, template),
        *_prohibited(template),
        *_image(group, template),
        *_type(request, template),
        *_user_data(group, template),
        *_security(cluster, template),
        *_version(group, cluster),
        *_block(sandbox, request, template),
    ]


def _scaling(group: Row) -> Iterator[str]:
    scaling = group.get("ScalingConfig") or {}
    least, wanted, most = (int(scaling.get(name, 1)) for name in ("MinSize", "DesiredSize", "MaxSize"))
    if not 0 <= least <= wanted <= most or most < 1:
        yield f"minSize {least}, desiredSize {wanted} and maxSize {most} are not in order, or maxSize is 0"
    if most > LARGEST_GROUP:
        yield f"maxSize {most} is over the {LARGEST_GROUP} nodes of a node group"


def _role(request: ResourceRequest) -> Iterator[str]:
    arn = str(request.properties["NodeRole"])
    roles = {role.arn: role for role in iam_backends[request.account]["aws"].roles.values()}
    if arn not in roles:
        yield f"The role {arn} does not exist"
    elif "ec2.amazonaws.com" not in str(roles[arn].assume_role_policy_document):
        yield f"Following required service principals [ec2.amazonaws.com] were not found in {arn}"


def _said_twice(group: Row, template: Row) -> Iterator[str]:
    if template.get("InstanceType") and group.get("InstanceTypes"):
        yield "Cannot specify instance types in launch template and API request"
    if "LaunchTemplate" in group:
        for name, said in (("DiskSize", "Disk size"), ("RemoteAccess", "Remote access configuration")):
            if name in group:
                yield f"{said} cannot be specified with a launch template"
    if template.get("ImageId"):
        if group.get("AmiType", "CUSTOM") != "CUSTOM":
            yield f"AmiType {group['AmiType']} goes not with an image in the launch template, CUSTOM does"
        for name in ("Version", "ReleaseVersion"):
            if name in group:
                yield f"{name} cannot be specified with an image in the launch template"
    elif group.get("AmiType") == "CUSTOM":
        yield "AmiType CUSTOM needs an image in the launch template"


def _prohibited(template: Row) -> Iterator[str]:
    if template.get("IamInstanceProfile"):
        yield "Launch template should not specify an instance profile. The noderole will be used instead"
    if any(each.get("SubnetId") for each in template.get("NetworkInterfaces") or []):
        yield "Launch template should not specify a subnet in its network interfaces"
    for name in ("InstanceInitiatedShutdownBehavior", "HibernationOptions"):
        if template.get(name):
            yield f"Launch template should not specify {name}"
    if template.get("SecurityGroupIds") and template.get("NetworkInterfaces"):
        yield "Launch template names security groups beside network interfaces"


def _image(group: Row, template: Row) -> Iterator[str]:
    kind, wanted = str(group.get("AmiType", "")), type_of(group, template)
    if "NVIDIA" in kind and not wanted.startswith(("p", "g")):
        yield f"[{wanted}] is not a valid instance type for AMI type {kind}"


def _type(request: ResourceRequest, template: Row) -> Iterator[str]:
    backend = ec2_backends[request.account][request.region]
    wanted, kind = type_of(request.properties, template), str(request.properties.get("AmiType", ""))
    for subnet_id in request.properties["Subnets"]:
        zone = backend.get_subnet(subnet_id).availability_zone_id
        offers = backend.describe_instance_type_offerings(
            location_type="availability-zone-id",
            filters={"instance-type": [wanted], "location": [zone]},
        )
        if not offers:
            yield f"{wanted} is not offered in {zone}"
    known = backend.describe_instance_types(filters={"instance-type": [wanted]})
    architectures = known[0].get("ProcessorInfo", {}).get("SupportedArchitectures", []) if known else []
    needed = "arm64" if "ARM_64" in kind else "x86_64"
    if kind not in ("", "CUSTOM") and architectures and needed not in architectures:
        yield f"[{wanted}] is not a valid instance type for AMI type {kind}: it is {architectures[0]}"


def _user_data(group: Row, template: Row) -> Iterator[str]:
    text, kind = user_data(template), str(group.get("AmiType", ""))
    if not text or kind in ("", "CUSTOM"):
        return
    if kind.startswith("BOTTLEROCKET"):
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            yield f"Ec2LaunchTemplateInvalidConfiguration: User data was not in the TOML format: {error}"
    elif not email.message_from_string(text).is_multipart():
        yield "Ec2LaunchTemplateInvalidConfiguration: User data was not in the MIME multipart format"


def _security(cluster: PlayedEksCluster, template: Row) -> Iterator[str]:
    named = security_groups(template)
    shared = cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"]
    # EKS takes such a template and waits for nodes in vain, unless the rules of the groups let nodes and
    # control plane reach each other; rules are not looked at here, so that only the shared group counts.
    if named and shared not in named:
        yield (
            "NodeCreationFailure: Instances failed to join the kubernetes cluster: the launch template names "
            f"security groups without the cluster's own, {shared}"
        )


def _version(group: Row, cluster: PlayedEksCluster) -> Iterator[str]:
    wanted, control = group.get("Version"), str(cluster.described["version"])
    if wanted is not None and int(str(wanted).split(".")[1]) > int(control.split(".")[1]):
        yield f"Nodegroup Kubernetes version {wanted} is newer than the cluster's, {control}"


def _block(sandbox: Sandbox, request: ResourceRequest, template: Row) -> Iterator[str]:
    option = request.properties.get("CapacityType", "ON_DEMAND")
    market = (template.get("InstanceMarketOptions") or {}).get("MarketType")
    if option != "CAPACITY_BLOCK":
        if market is not None:
            yield f"MarketType {market} in the launch template goes not with capacity type {option}"
        return
    if market != "capacity-block":
        yield f"CAPACITY_BLOCK needs MarketType capacity-block in the launch template, not {market}"
    if not template.get("InstanceType"):
        yield "CAPACITY_BLOCK needs an instance type in the launch template"
    target = (template.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    reservation = target.get("CapacityReservationId")
    row = known_reservations(sandbox).get(str(reservation))
    if row is None:
        yield f"CAPACITY_BLOCK needs a reservation that is there, not {reservation}"
        return
    backend = ec2_backends[request.account][request.region]
    for subnet_id in request.properties["Subnets"]:
        zone = backend.get_subnet(subnet_id).availability_zone_id
        if zone != row.get("AvailabilityZoneId"):
            yield f"{subnet_id} is in {zone}, {reservation} in {row.get('AvailabilityZoneId')}"
