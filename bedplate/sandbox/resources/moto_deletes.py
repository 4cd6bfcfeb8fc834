"""How to delete what moto's models cannot delete, or delete badly: type → rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends
from moto.s3.models import s3_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.resources.interfaces import interfaces_in_subnet

Delete = Callable[[ResourceRequest, Any], None]


def _ec2(request: ResourceRequest) -> Any:
    return ec2_backends[request.account][request.region]


def _route_table(request: ResourceRequest, table: Any) -> None:
    table._associations.clear()
    _ec2(request).route_tables.pop(table.id, None)


def _route(request: ResourceRequest, route: Any) -> None:
    table = _ec2(request).route_tables.get(route.route_table.id)
    if table is not None:
        table._routes.pop(route.id, None)


def _association(request: ResourceRequest, association: Any) -> None:
    for table in _ec2(request).route_tables.values():
        for association_id, subnet_id in list(table._associations.items()):
            if subnet_id == association.subnet_id and table.id == association.route_table_id:
                del table._associations[association_id]


def _nat_gateway(request: ResourceRequest, gateway: Any) -> None:
    backend = _ec2(request)
    backend.nat_gateways.pop(gateway.id, None)
    backend.enis.pop(gateway._eni.id, None)


def _gateway_attachment(request: ResourceRequest, attachment: Any) -> None:
    gateway = _ec2(request).internet_gateways.get(request.properties.get("InternetGatewayId", ""))
    if gateway is not None:
        gateway.vpc = None


def _internet_gateway(request: ResourceRequest, gateway: Any) -> None:
    _ec2(request).internet_gateways.pop(gateway.id, None)


def _elastic_ip(request: ResourceRequest, address: Any) -> None:
    addresses = _ec2(request).addresses
    addresses[:] = [other for other in addresses if other is not address]


def _vpc_endpoint(request: ResourceRequest, endpoint: Any) -> None:
    for interface_id in endpoint.network_interface_ids or []:
        _ec2(request).enis.pop(interface_id, None)
    _ec2(request).vpc_end_points.pop(endpoint.id, None)


def _flow_log(request: ResourceRequest, log: Any) -> None:
    _ec2(request).flow_logs.pop(log.id, None)


def _vpc(request: ResourceRequest, vpc: Any) -> None:
    """AWS refuses to delete a VPC in use; the default group and the main route table go with it."""
    backend = _ec2(request)
    left = [
        subnet for zone in backend.subnets.values() for subnet in zone.values() if subnet.vpc_id == vpc.id
    ]
    left += [group for key, group in backend.groups.get(vpc.id, {}).items() if group.name != "default"]
    left += [
        table
        for table in backend.route_tables.values()
        if table.vpc_id == vpc.id and not table.main_association_id
    ]
    left += [endpoint for endpoint in backend.vpc_end_points.values() if endpoint.vpc_id == vpc.id]
    if left:
        names = ", ".join(str(getattr(item, "id", item)) for item in left)
        raise ResourceError(f"The vpc '{vpc.id}' has dependencies and cannot be deleted: {names}")
    backend.delete_vpc(vpc.id)


def _subnet(request: ResourceRequest, subnet: Any) -> None:
    users = interfaces_in_subnet(_ec2(request), subnet.id)
    if users:
        raise ResourceError(
            f"The subnet '{subnet.id}' has dependencies and cannot be deleted: {', '.join(users)}"
        )
    _ec2(request).delete_subnet(subnet.id)


def _bucket(request: ResourceRequest, bucket: Any) -> None:
    backend = s3_backends[request.account]["aws"]
    if bucket.name not in backend.buckets:
        return
    if any(True for _ in bucket.keys.values()):
        raise ResourceError("The bucket you tried to delete is not empty")
    backend.delete_bucket(bucket.name)


def _managed_policy(request: ResourceRequest, policy: Any) -> None:
    iam = iam_backends[request.account]["aws"]
    for role in iam.roles.values():
        role.managed_policies.pop(policy.arn, None)
    iam.managed_policies.pop(policy.arn, None)


def _inline_policy(request: ResourceRequest, policy: Any) -> None:
    iam = iam_backends[request.account]["aws"]
    for role_name in request.properties.get("Roles", []):
        if role_name in {role.name for role in iam.roles.values()}:
            iam.get_role(role_name).policies.pop(request.properties["PolicyName"], None)


def _role(request: ResourceRequest, role: Any) -> None:
    roles = iam_backends[request.account]["aws"].roles
    roles.pop(role.id, None)


def _nothing(request: ResourceRequest, model: Any) -> None:
    """Goes with the resource that holds it."""


DELETES: Mapping[str, Delete] = {
    "AWS::EC2::RouteTable": _route_table,
    "AWS::EC2::Route": _route,
    "AWS::EC2::SubnetRouteTableAssociation": _association,
    "AWS::EC2::NatGateway": _nat_gateway,
    "AWS::EC2::VPCGatewayAttachment": _gateway_attachment,
    "AWS::EC2::InternetGateway": _internet_gateway,
    "AWS::EC2::EIP": _elastic_ip,
    "AWS::EC2::VPCEndpoint": _vpc_endpoint,
    "AWS::EC2::FlowLog": _flow_log,
    "AWS::EC2::VPC": _vpc,
    "AWS::EC2::Subnet": _subnet,
    "AWS::S3::Bucket": _bucket,
    "AWS::IAM::ManagedPolicy": _managed_policy,
    "AWS::IAM::Policy": _inline_policy,
    "AWS::IAM::Role": _role,
    "AWS::Lambda::Permission": _nothing,
    "AWS::Lambda::Version": _nothing,
    "AWS::Lambda::LayerVersion": _nothing,
}
