"""The private ways from a VPC to AWS services."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2


class NetworkEndpoints(Construct):
    """A gateway endpoint for S3, and an interface endpoint for each of ``services``.

    The gateway costs nothing and keeps traffic to S3 off the NAT gateway, so it is always made. Interface
    endpoints are for networks without a way out; they stand in ``subnet_ids``, which lie in Availability
    Zones of the Region (a Local Zone is served from there), and answer the members of ``client_group_id`` on
    port 443 only. ``services`` are the last parts of the endpoints' service names, such as ``ecr.api``.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        route_table_ids: Sequence[str],
        subnet_ids: Sequence[str],
        client_group_id: str,
        services: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        region = Stack.of(self).region
        ec2.CfnVPCEndpoint(
            self,
            "S3",
            vpc_id=vpc_id,
            service_name=f"com.amazonaws.{region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=list(route_table_ids),
        )
        if not services:
            return
        group = self._group(vpc_id=vpc_id, client_group_id=client_group_id)
        for service in services:
            ec2.CfnVPCEndpoint(
                self,
                service,  # as it is written: ecr.api and ecr-api are two services
                vpc_id=vpc_id,
                service_name=f"com.amazonaws.{region}.{service}",
                vpc_endpoint_type="Interface",
                private_dns_enabled=True,
                subnet_ids=list(subnet_ids),
                security_group_ids=[group.attr_group_id],
            )

    def _group(self, *, vpc_id: str, client_group_id: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description="Interface endpoints: HTTPS from the cluster",
            vpc_id=vpc_id,
            security_group_ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp",
                    from_port=443,
                    to_port=443,
                    source_security_group_id=client_group_id,
                    description="HTTPS from the cluster",
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
