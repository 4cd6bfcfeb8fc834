"""The network of an environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aws_cdk import Annotations, CfnWaitConditionHandle
from constructs import Construct

from bedplate.constructs.cluster_network import ClusterNetwork
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.flow_logs import FlowLogs
from bedplate.constructs.network_endpoints import NetworkEndpoints
from bedplate.hardware.local_zones import UNVERIFIED
from bedplate.spec import Environment
from bedplate.spec.addresses import gpu_addresses_needed
from bedplate.spec.endpoints import interface_services
from bedplate.spec.network import ExistingVpc
from bedplate.spec.regions import is_local_zone
from bedplate.stacks.environment_stack import EnvironmentStack


@dataclass(frozen=True, kw_only=True)
class _Places:
    """Ids of a VPC and what lies in it, made or given."""

    vpc_id: str
    gpu_subnet_id: str
    control_subnet_ids: list[str]
    route_table_ids: list[str]


class NetworkStack(EnvironmentStack):
    """VPC or the one that is there already, the ways to AWS, and the fabric's security group.

    In a VPC that is there, only what the environment file leaves open is made: the security group where no
    ``fabric_group`` is given, the endpoints where ``endpoints`` is ``create``.
    """

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, environment=environment, role="network", purpose="VPC and security group")
        given = environment.network.vpc
        places = _given(given) if given else self._made(environment)
        self.vpc_id: str = places.vpc_id
        """Id of the VPC."""
        self.gpu_subnet_id: str = places.gpu_subnet_id
        """Subnet of the nodes."""
        self.control_subnet_ids: list[str] = places.control_subnet_ids
        """Subnets of what needs two zones."""
        self.storage_subnet_id: str = _storage_subnet(places, zone=environment.network.zone)
        """Subnet of file systems and login nodes: the GPU nodes' own, or the parent Region's if that is in a
        Local Zone.
        """
        fabric = None if given and given.fabric_group else self._fabric(environment)
        self.fabric_group_id: str = fabric.group_id if fabric else str(given and given.fabric_group)
        """The fabric's security group."""
        if is_local_zone(environment.network.zone):
            for number, text in enumerate(UNVERIFIED, start=1):
                Annotations.of(self).add_warning_v2(f"bedplate:local-zone-{number}", f"unverified: {text}")
        if given is None:
            FlowLogs(self, "FlowLogs", vpc_id=places.vpc_id)
        if given is None or given.endpoints == "create":
            closed = environment.network.internet == "none"
            services = interface_services(environment) if closed else ()
            self._endpoints(places, fabric=fabric, services=services)
        elif fabric is None:
            # Everything is given, and CloudFormation takes no stack without a resource.
            CfnWaitConditionHandle(self, "NothingMade")

    def _made(self, environment: Environment) -> _Places:
        assert environment.network.cidr is not None  # the environment file gives one of the two
        network = ClusterNetwork(
            self,
            "Network",
            cidr=environment.network.cidr,
            zone_id=environment.network.zone,
            control_zone_ids=environment.network.control_zones[:2],
            internet=environment.network.internet,
            gpu_addresses_needed=gpu_addresses_needed(environment),
        )
        return _Places(
            vpc_id=network.vpc_id,
            gpu_subnet_id=network.gpu_subnet_id,
            control_subnet_ids=network.control_subnet_ids,
            route_table_ids=network.route_table_ids,
        )

    def _fabric(self, environment: Environment) -> FabricSecurityGroup:
        egress: Literal["web", "https"] = "https" if environment.network.internet == "none" else "web"
        return FabricSecurityGroup(self, "Fabric", vpc_id=self.vpc_id, egress=egress)

    def _endpoints(
        self, places: _Places, *, fabric: FabricSecurityGroup | None, services: tuple[str, ...]
    ) -> None:
        endpoints = NetworkEndpoints(
            self,
            "Endpoints",
            vpc_id=places.vpc_id,
            route_table_ids=places.route_table_ids,
            subnet_ids=places.control_subnet_ids,
            client_group_id=self.fabric_group_id,
            services=services,
        )
        if fabric:
            fabric.protect(endpoints)


def _given(vpc: ExistingVpc) -> _Places:
    return _Places(
        vpc_id=vpc.id,
        gpu_subnet_id=vpc.gpu_subnet,
        control_subnet_ids=list(vpc.control_subnets),
        route_table_ids=list(vpc.route_tables),
    )


def _storage_subnet(places: _Places, *, zone: str) -> str:
    return places.control_subnet_ids[0] if is_local_zone(zone) else places.gpu_subnet_id
