"""The way from a VPC into Grafana workspaces, for a function that fills one with bounded access."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2


class GrafanaWayIn(Construct):
    """An interface endpoint to workspaces, and the security group of who may use it, which admits nobody.

    The group's members reach AWS's APIs by the subnets' own way out, which there must be. A workspace lets
    the endpoint in where it is among its ``endpoint_ids``. A VPC takes one such endpoint: with a second one,
    AWS refuses the private DNS name.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        subnet_ids: Sequence[str],
    ) -> None:
        super().__init__(scope, id)
        client = ec2.CfnSecurityGroup(
            self,
            "Client",
            group_description="What fills the Grafana workspace: HTTPS out, no one comes in",
            vpc_id=vpc_id,
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=443,
                    to_port=443,
                    cidr_ip="0.0.0.0/0",
                    description="AWS services and the workspace",
                )
            ],
        )
        server = ec2.CfnSecurityGroup(
            self,
            "Server",
            group_description="Endpoint to Grafana workspaces: HTTPS from what fills one",
            vpc_id=vpc_id,
            security_group_ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp",
                    from_port=443,
                    to_port=443,
                    source_security_group_id=client.attr_group_id,
                    description="HTTPS from what fills the workspace",
                )
            ],
            # An endpoint only answers. One harmless rule stops AWS from adding "all outbound".
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="icmp",
                    from_port=252,
                    to_port=86,
                    cidr_ip="255.255.255.255/32",
                    description="No outbound traffic",
                )
            ],
        )
        endpoint = ec2.CfnVPCEndpoint(
            self,
            "Endpoint",
            vpc_id=vpc_id,
            service_name=f"com.amazonaws.{Stack.of(self).region}.grafana-workspace",
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=list(subnet_ids),
            security_group_ids=[server.attr_group_id],
        )
        self.endpoint_id: str = endpoint.ref
        """The endpoint."""
        self.group_id: str = client.attr_group_id
        """The group of the function's interfaces."""
