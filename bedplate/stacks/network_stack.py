"""The network of an environment."""

from __future__ import annotations

from typing import Literal

from constructs import Construct

from bedplate.constructs.cluster_network import ClusterNetwork
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.flow_logs import FlowLogs
from bedplate.constructs.network_endpoints import CLUSTER_SERVICES, NetworkEndpoints
from bedplate.spec import Environment
from bedplate.spec.addresses import gpu_addresses_needed
from bedplate.stacks.environment_stack import EnvironmentStack


class NetworkStack(EnvironmentStack):
    """VPC or the one that is there already, the ways to AWS, and the fabric's security group."""

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, environment=environment, role="network", purpose="VPC and security group")
        given = environment.network.vpc
        if given is not None:
            self.vpc_id: str = given.id
            """Id of the VPC."""
            self.gpu_subnet_id: str = given.gpu_subnet
            """Subnet of nodes and file system."""
            self.control_subnet_ids: list[str] = list(given.control_subnets)
            """Subnets of what needs two zones."""
            self._fabric(environment)
            return
        network = self._network(environment)
        self.vpc_id = network.vpc_id
        self.gpu_subnet_id = network.gpu_subnet_id
        self.control_subnet_ids = network.control_subnet_ids
        fabric = self._fabric(environment)
        FlowLogs(self, "FlowLogs", vpc_id=network.vpc_id)
        closed = environment.network.internet == "none"
        endpoints = NetworkEndpoints(
            self,
            "Endpoints",
            vpc_id=network.vpc_id,
            route_table_ids=network.route_table_ids,
            subnet_ids=network.control_subnet_ids,
            client_group_id=fabric.group_id,
            services=CLUSTER_SERVICES if closed else (),
        )
        fabric.protect(endpoints)

    def _network(self, environment: Environment) -> ClusterNetwork:
        assert environment.network.cidr is not None  # the environment file gives one of the two
        return ClusterNetwork(
            self,
            "Network",
            cidr=environment.network.cidr,
            zone_id=environment.network.zone,
            control_zone_ids=environment.network.control_zones[:2],
            internet=environment.network.internet,
            gpu_addresses_needed=gpu_addresses_needed(environment),
        )

    def _fabric(self, environment: Environment) -> FabricSecurityGroup:
        egress: Literal["web", "https"] = "https" if environment.network.internet == "none" else "web"
        fabric = FabricSecurityGroup(self, "Fabric", vpc_id=self.vpc_id, egress=egress)
        self.fabric_group_id: str = fabric.group_id
        """The fabric's security group."""
        return fabric
