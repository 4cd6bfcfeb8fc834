"""The security group of a MySQL database that we make."""

from __future__ import annotations

from aws_cdk import CfnResource, RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2

PORT = 3306


class DatabaseGroup(Construct):
    """A group that takes MySQL from one client group, by a rule in each: neither lets everything through.

    Group and rules stay when the stack goes: a database that stays keeps its interfaces, so its group cannot
    go, and must stay reachable.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        client_group_id: str,
    ) -> None:
        super().__init__(scope, id)
        group = ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description="Slurm accounting: MySQL from slurmdbd",
            vpc_id=vpc_id,
            # One harmless rule, or AWS would add "all outbound".
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
        self.group_id: str = group.attr_group_id
        """The group's id."""
        self.rules: list[CfnResource] = [
            ec2.CfnSecurityGroupEgress(
                self,
                "Out",
                group_id=client_group_id,
                destination_security_group_id=self.group_id,
                ip_protocol="tcp",
                from_port=PORT,
                to_port=PORT,
                description="slurmdbd to its database",
            ),
            ec2.CfnSecurityGroupIngress(
                self,
                "In",
                group_id=self.group_id,
                source_security_group_id=client_group_id,
                ip_protocol="tcp",
                from_port=PORT,
                to_port=PORT,
                description="slurmdbd to its database",
            ),
        ]
        """Both rules; the database must wait for them."""
        for resource in (group, *self.rules):
            resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
