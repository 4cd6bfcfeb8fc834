"""A VPC made by API calls, as a network team would, for tests that need one in the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SERVICES = ("pcs", "ssm", "ssmmessages", "ec2messages")


@dataclass(frozen=True)
class HandMadeVpc:
    """Its ids: the GPU subnet is in usw2-az2, the control subnets in usw2-az1 and usw2-az2."""

    id: str
    gpu_subnet: str
    control_subnets: tuple[str, str]
    fabric_group: str
    route_table: str


def make_vpc(ec2: Any) -> HandMadeVpc:
    """A closed VPC with DNS and a group that admits itself by id both ways; without endpoints."""
    vpc = ec2.create_vpc(CidrBlock="10.77.0.0/16")["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    gpu, one, two = (_subnet(ec2, vpc, number, zone) for number, zone in enumerate(("az2", "az1", "az2")))
    group = ec2.create_security_group(GroupName="fabric", Description="fabric", VpcId=vpc)["GroupId"]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"]
    return HandMadeVpc(vpc, gpu, (one, two), group, table["RouteTableId"])


def make_endpoints(ec2: Any, vpc: HandMadeVpc) -> None:
    """All that a closed cluster needs."""
    for service in SERVICES:
        ec2.create_vpc_endpoint(
            VpcId=vpc.id,
            VpcEndpointType="Interface",
            ServiceName=f"com.amazonaws.us-west-2.{service}",
            SubnetIds=list(vpc.control_subnets),
            SecurityGroupIds=[vpc.fabric_group],
            PrivateDnsEnabled=True,
        )
    ec2.create_vpc_endpoint(
        VpcId=vpc.id,
        VpcEndpointType="Gateway",
        ServiceName="com.amazonaws.us-west-2.s3",
        RouteTableIds=[vpc.route_table],
    )


def _subnet(ec2: Any, vpc: str, number: int, zone: str) -> str:
    cidr = f"10.77.{number}.0/24"
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId=f"usw2-{zone}")["Subnet"]
    ec2.modify_subnet_attribute(SubnetId=subnet["SubnetId"], MapPublicIpOnLaunch={"Value": False})
    name: str = subnet["SubnetId"]
    return name


def make_way_out(ec2: Any, vpc: HandMadeVpc) -> None:
    """A NAT gateway in a public subnet, and the default route of all other subnets to it."""
    public = ec2.create_subnet(VpcId=vpc.id, CidrBlock="10.77.9.0/24", AvailabilityZoneId="usw2-az2")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc.id)
    table = ec2.create_route_table(VpcId=vpc.id)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=table, SubnetId=public["Subnet"]["SubnetId"])
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=public["Subnet"]["SubnetId"], AllocationId=address)["NatGateway"]
    ec2.create_route(
        RouteTableId=vpc.route_table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat["NatGatewayId"]
    )
