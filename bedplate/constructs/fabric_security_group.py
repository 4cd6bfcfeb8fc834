"""The security group under which EFA works."""

from __future__ import annotations

from typing import Literal

from constructs import Construct, Dependable, DependencyGroup

from bedplate.constructs.l1 import aws_ec2 as ec2

ALL_PROTOCOLS = "-1"
WEB_PORTS = (80, 443)


class FabricSecurityGroup(Construct):
    """One group for everything that speaks on the cluster's network: GPU nodes, login nodes, the scheduler's
    interface.

    EFA traffic is not matched by address ranges: a group that merely allows all outbound to ``0.0.0.0/0``
    breaks the first operation between nodes while TCP works (aws/aws-ofi-nccl #663, ofiwg/libfabric #11256).
    So the group allows itself, by its own id, in both directions. The rules are resources of their own,
    because a rule inside the group cannot name the group; whatever has a network interface must call
    ``protect`` so that it waits for both rules.

    Nothing comes in from outside. ``egress``: ``"web"`` lets HTTP and HTTPS out to anywhere (the route table
    decides what anywhere is), ``"https"`` lets HTTPS out alone.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        egress: Literal["web", "https"] = "web",
    ) -> None:
        super().__init__(scope, id)
        ports = WEB_PORTS if egress == "web" else (443,)
        group = ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description="Cluster fabric: EFA and Slurm between members, no one else comes in",
            vpc_id=vpc_id,
            # Stated, not left out: an absent list would make AWS add a rule that allows all outbound.
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=port,
                    to_port=port,
                    cidr_ip="0.0.0.0/0",
                    description="Packages and AWS services",
                )
                for port in ports
            ],
        )
        self.group_id: str = group.attr_group_id
        """The group's id."""
        incoming = ec2.CfnSecurityGroupIngress(
            self,
            "FromItself",
            group_id=self.group_id,
            ip_protocol=ALL_PROTOCOLS,
            source_security_group_id=self.group_id,
            description="EFA: all traffic from the group itself, by id",
        )
        outgoing = ec2.CfnSecurityGroupEgress(
            self,
            "ToItself",
            group_id=self.group_id,
            ip_protocol=ALL_PROTOCOLS,
            destination_security_group_id=self.group_id,
            description="EFA: all traffic to the group itself, by id",
        )
        self.rules = DependencyGroup(incoming, outgoing)
        """Both self-references; depend on them before an interface is made."""
        Dependable.implement(self, Dependable.of(self.rules))

    def protect(self, *constructs: Construct) -> None:
        """Make each of ``constructs`` wait for both self-references."""
        for construct in constructs:
            construct.node.add_dependency(self.rules)
