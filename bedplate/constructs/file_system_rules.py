"""Security group rules between a file system and its clients."""

from __future__ import annotations

from aws_cdk import CfnResource, RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.spec.file_system_traffic import TRAFFIC, TrafficKind


class FileSystemRules(Construct):
    """Lets the members of ``client_group_id`` speak with the servers in ``server_group_id``, by group id.

    Each direction has a rule in the group that sends and one in the group that receives, since neither group
    need let everything out. ``traffic`` is ``"lustre-efa"``, ``"lustre-tcp"`` or ``"nfs"``.
    ``among_servers``: servers that speak with each other get rules for that too; those of a file system that
    is there already have them. ``keep``: the rules stay when the stack goes, for servers that stay. ``rules``
    is what a file system must wait for: FSx tries its ports when it is made (aws-parallelcluster #6181).

    EC2 refuses a rule that is there already, so make one such construct for each pair of groups and traffic.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        server_group_id: str,
        client_group_id: str,
        traffic: TrafficKind,
        among_servers: bool = False,
        keep: bool = False,
    ) -> None:
        super().__init__(scope, id)
        self._traffic = TRAFFIC[traffic]
        self.rules: list[CfnResource] = []
        """Every rule."""
        self._open("Clients", sender=client_group_id, receiver=server_group_id)
        if self._traffic.both_ways:
            self._open("Servers", sender=server_group_id, receiver=client_group_id)
        if among_servers and self._traffic.between_servers:
            self._open("Own", sender=server_group_id, receiver=server_group_id)
        if keep:
            for rule in self.rules:
                rule.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)

    def _open(self, name: str, *, sender: str, receiver: str) -> None:
        traffic = self._traffic
        for first, last in traffic.ports or ((None, None),):
            suffix = "" if first is None else str(first)
            self.rules.append(
                ec2.CfnSecurityGroupEgress(
                    self,
                    f"{name}{suffix}Out",
                    group_id=sender,
                    destination_security_group_id=receiver,
                    ip_protocol=traffic.protocol,
                    from_port=first,
                    to_port=last,
                    description=traffic.label,
                )
            )
            self.rules.append(
                ec2.CfnSecurityGroupIngress(
                    self,
                    f"{name}{suffix}In",
                    group_id=receiver,
                    source_security_group_id=sender,
                    ip_protocol=traffic.protocol,
                    from_port=first,
                    to_port=last,
                    description=traffic.label,
                )
            )
