"""A VPC that is there already, as EC2 tells of it: in it all is well, to be spoilt."""

from __future__ import annotations

from typing import Any

from bedplate.spec.network import ExistingVpc, Network

VPC_ID = "vpc-0123456789abcdef0"
GPU_SUBNET = "subnet-0123456789abcdef0"
CONTROL_SUBNETS = ("subnet-0123456789abcdef1", "subnet-0123456789abcdef2")
FABRIC = "sg-0123456789abcdef0"
ENDPOINT_GROUP = "sg-0123456789abcdef1"
NAT = "nat-0123456789abcdef0"
MAIN_TABLE = "rtb-0123456789abcdef0"
RANGES = {GPU_SUBNET: "10.0.0.0/20", CONTROL_SUBNETS[0]: "10.0.16.0/24", CONTROL_SUBNETS[1]: "10.0.17.0/24"}


def pair(group: str = FABRIC, **rule: Any) -> dict[str, Any]:
    """A rule that names a group; for all protocols where none is given."""
    return {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}], **rule}


def ranged(cidr: str, *, port: int | None = 443) -> dict[str, Any]:
    """A rule that names a range: one TCP port, or all protocols."""
    key = {"Ipv6Ranges": [{"CidrIpv6": cidr}]} if ":" in cidr else {"IpRanges": [{"CidrIp": cidr}]}
    ports = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port} if port else {"IpProtocol": "-1"}
    return {**ports, **key}


def fabric(**changes: Any) -> dict[str, Any]:
    """A security group that admits itself by id both ways, and lets HTTPS out."""
    return {
        "GroupId": FABRIC,
        "VpcId": VPC_ID,
        "IpPermissions": [pair()],
        "IpPermissionsEgress": [pair(), ranged("0.0.0.0/0")],
        **changes,
    }


def endpoint(service: str, **changes: Any) -> dict[str, Any]:
    """An interface endpoint that the cluster reaches."""
    return {
        "VpcEndpointId": f"vpce-{service}",
        "VpcEndpointType": "Interface",
        "VpcId": VPC_ID,
        "ServiceName": f"com.amazonaws.us-west-2.{service}",
        "State": "available",
        "PrivateDnsEnabled": True,
        "Groups": [{"GroupId": ENDPOINT_GROUP}],
        **changes,
    }


def gateway(*tables: str) -> dict[str, Any]:
    """The gateway endpoint for S3, in these route tables."""
    return endpoint(
        "s3", VpcEndpointType="Gateway", PrivateDnsEnabled=False, Groups=[], RouteTableIds=list(tables)
    )


def closed_endpoints() -> list[dict[str, Any]]:
    """All that a closed PCS cluster needs."""
    return [gateway(MAIN_TABLE), *(endpoint(each) for each in ("pcs", "ssm", "ssmmessages", "ec2messages"))]


def main_table(*routes: dict[str, Any]) -> dict[str, Any]:
    """The VPC's main route table."""
    return {"RouteTableId": MAIN_TABLE, "Associations": [{"Main": True}], "Routes": list(routes)}


def default_to(**target: Any) -> dict[str, Any]:
    """A route to everywhere."""
    return {"DestinationCidrBlock": "0.0.0.0/0", "State": "active", **target}


def service_detail(service: str, *zones: str) -> dict[str, Any]:
    """A service that is offered by an interface endpoint, in zones by name."""
    return {
        "ServiceName": f"com.amazonaws.us-west-2.{service}",
        "ServiceType": [{"ServiceType": "Interface"}],
        "AvailabilityZones": list(zones or ("us-west-2a", "us-west-2b")),
    }


def ec2_answers() -> dict[str, Any]:
    """What EC2 says of the VPC and what lies in it."""
    groups = {
        FABRIC: fabric(),
        ENDPOINT_GROUP: {
            "GroupId": ENDPOINT_GROUP,
            "VpcId": VPC_ID,
            "IpPermissions": [ranged("10.0.0.0/16")],
        },
    }
    vpc = {"VpcId": VPC_ID, "State": "available", "InstanceTenancy": "default"}
    return {
        "describe_vpcs": lambda request: {"Vpcs": [vpc] if request.get("VpcIds") else [{}]},
        "describe_vpc_attribute": {
            "EnableDnsSupport": {"Value": True},
            "EnableDnsHostnames": {"Value": True},
        },
        "describe_subnets": lambda request: {"Subnets": [subnet(each) for each in request["SubnetIds"]]},
        "describe_security_groups": lambda request: {
            "SecurityGroups": [groups[each] for each in request["GroupIds"]]
        },
        "describe_route_tables": {"RouteTables": [main_table(default_to(NatGatewayId=NAT))]},
        "describe_nat_gateways": {"NatGateways": [{"NatGatewayId": NAT, "State": "available"}]},
        "describe_vpc_endpoints": {"VpcEndpoints": []},
        "describe_vpc_endpoint_services": {
            "ServiceDetails": [service_detail(each) for each in ("pcs", "ssm", "ssmmessages", "ec2messages")]
        },
    }


def subnet(name: str, **changes: Any) -> dict[str, Any]:
    """A subnet with room; the first control subnet is in usw2-az1, all else in usw2-az2."""
    return {
        "SubnetId": name,
        "VpcId": VPC_ID,
        "CidrBlock": RANGES[name],
        "AvailabilityZoneId": "usw2-az1" if name == CONTROL_SUBNETS[0] else "usw2-az2",
        "AvailableIpAddressCount": 1000,
        "MapPublicIpOnLaunch": False,
        **changes,
    }


def existing_network(*, network: dict[str, Any] | None = None, **vpc: Any) -> dict[str, Network]:
    """The changes that put an environment into that VPC, with its fabric group unless said otherwise."""
    place = ExistingVpc(
        **{
            "id": VPC_ID,
            "gpu_subnet": GPU_SUBNET,
            "control_subnets": CONTROL_SUBNETS,
            "fabric_group": FABRIC,
            **vpc,
        }
    )
    values = {"zone": "usw2-az2", "control_zones": ("usw2-az1", "usw2-az2"), "vpc": place}
    return {"network": Network(**{**values, **(network or {})})}
