"""The security group of a file system that we make."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_system_rules import FileSystemRules
from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.spec.file_system_traffic import TrafficKind


class FileSystemGroup(Construct):
    """A group for one file system's servers, with the rules to and from its clients.

    Group and rules stay when the stack goes: a file system that stays keeps its interfaces, so its group
    cannot go, and must stay reachable.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        client_group_id: str,
        traffic: TrafficKind,
        description: str,
    ) -> None:
        super().__init__(scope, id)
        group = ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description=description,
            vpc_id=vpc_id,
            # One harmless rule, or AWS would add "all outbound".
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="icmp",
                    from_port=252,
                    to_port=86,
                    cidr_ip="255.255.255.255/32",
                    description="No other outbound traffic",
                )
            ],
        )
        group.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        self.group_id: str = group.attr_group_id
        """The group's id."""
        self.rules = FileSystemRules(
            self,
            "Rules",
            server_group_id=self.group_id,
            client_group_id=client_group_id,
            traffic=traffic,
            among_servers=True,
            keep=True,
        ).rules
        """What the file system must wait for."""
