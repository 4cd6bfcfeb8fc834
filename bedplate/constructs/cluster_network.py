"""A VPC laid around one zone of GPU capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from aws_cdk import CfnTag, Stack
from constructs import Construct

from bedplate.constructs.address_plan import address_plan
from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.spec.regions import is_local_zone

Internet = Literal["nat", "none"]


class ClusterNetwork(Construct):
    """VPC, one GPU subnet in the zone of the capacity, control subnets in two zones, and the way out.

    Nothing is looked up: zones are AZ ids (``usw2-az2``), which mean the same place in every account, and the
    ranges come from ``address_plan``. With ``internet="nat"`` one NAT gateway stands in a public subnet, in
    the GPU zone if that is a control zone too, else in the first control zone: the GPU zone may be a Local
    Zone, and an Elastic IP of the Region fits no NAT gateway there. With ``"none"`` there is no internet
    gateway at all and ``NetworkEndpoints`` gives the way to AWS.

    ``control_zone_ids`` are two different Availability Zones, else ``ValueError``. ``gpu_addresses_needed``
    counts the addresses that nodes and file systems take; ``AddressesDoNotFitError`` where there are fewer.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the name that every construct's second argument has
        *,
        cidr: str,
        zone_id: str,
        control_zone_ids: Sequence[str],
        internet: Internet,
        gpu_addresses_needed: int,
    ) -> None:
        super().__init__(scope, id)
        if len(control_zone_ids) != 2 or len(set(control_zone_ids)) != 2:
            raise ValueError(
                f"control_zone_ids: two different zones are needed, not {list(control_zone_ids)}"
            )
        if local := [zone for zone in control_zone_ids if is_local_zone(zone)]:
            raise ValueError(f"control_zone_ids: {local[0]} is a Local Zone, for GPU nodes alone")
        plan = address_plan(cidr=cidr, gpu_addresses_needed=gpu_addresses_needed)
        self._stack_name = Stack.of(self).stack_name
        self._vpc = ec2.CfnVPC(
            self,
            "Vpc",
            cidr_block=cidr,
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags=self._name("Vpc"),
        )
        gpu = self._subnet("GpuSubnet", range_=plan.gpu, zone_id=zone_id)
        control = {
            f"ControlSubnet{letter}": self._subnet(
                f"ControlSubnet{letter}", range_=range_, zone_id=control_zone
            )
            for letter, range_, control_zone in zip("AB", plan.control, control_zone_ids, strict=True)
        }
        self._private_routes = self._route_table("PrivateRoutes", {"GpuSubnet": gpu, **control})
        if internet == "nat":
            nat_zone = zone_id if zone_id in control_zone_ids else control_zone_ids[0]
            self._way_out(public_range=plan.public, zone_id=nat_zone)
        self.vpc_id: str = self._vpc.attr_vpc_id
        """Id of the VPC."""
        self.gpu_subnet_id: str = gpu.attr_subnet_id
        """Id of the subnet for nodes and file system."""
        self.control_subnet_ids: list[str] = [subnet.attr_subnet_id for subnet in control.values()]
        """Ids of the control subnets, in the order of ``control_zone_ids``."""
        self.route_table_ids: list[str] = [self._private_routes.attr_route_table_id]
        """Ids of the route tables of all private subnets."""

    def _subnet(self, name: str, *, range_: str, zone_id: str) -> ec2.CfnSubnet:
        return ec2.CfnSubnet(
            self,
            name,
            vpc_id=self._vpc.attr_vpc_id,
            cidr_block=range_,
            availability_zone_id=zone_id,
            map_public_ip_on_launch=False,
            tags=self._name(name),
        )

    def _route_table(self, name: str, subnets: Mapping[str, ec2.CfnSubnet]) -> ec2.CfnRouteTable:
        table = ec2.CfnRouteTable(self, name, vpc_id=self._vpc.attr_vpc_id, tags=self._name(name))
        for subnet_name, subnet in subnets.items():
            ec2.CfnSubnetRouteTableAssociation(
                self,
                f"{name}{subnet_name}",
                route_table_id=table.attr_route_table_id,
                subnet_id=subnet.attr_subnet_id,
            )
        return table

    def _way_out(self, *, public_range: str, zone_id: str) -> None:
        gateway = ec2.CfnInternetGateway(self, "InternetGateway", tags=self._name("InternetGateway"))
        attachment = ec2.CfnVPCGatewayAttachment(
            self,
            "InternetGatewayAttachment",
            vpc_id=self._vpc.attr_vpc_id,
            internet_gateway_id=gateway.attr_internet_gateway_id,
        )
        public = self._subnet("PublicSubnet", range_=public_range, zone_id=zone_id)
        routes = self._route_table("PublicRoutes", {"PublicSubnet": public})
        to_internet = ec2.CfnRoute(
            self,
            "PublicDefaultRoute",
            route_table_id=routes.attr_route_table_id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.attr_internet_gateway_id,
        )
        to_internet.add_resource_dependency(attachment)
        address = ec2.CfnEIP(self, "NatAddress", domain="vpc")
        address.add_resource_dependency(attachment)
        nat = ec2.CfnNatGateway(
            self, "NatGateway", subnet_id=public.attr_subnet_id, allocation_id=address.attr_allocation_id
        )
        nat.add_resource_dependency(to_internet)
        ec2.CfnRoute(
            self,
            "PrivateDefaultRoute",
            route_table_id=self._private_routes.attr_route_table_id,
            destination_cidr_block="0.0.0.0/0",
            nat_gateway_id=nat.attr_nat_gateway_id,
        )

    def _name(self, name: str) -> list[CfnTag]:
        return [CfnTag(key="Name", value=f"{self._stack_name}/{name}")]
