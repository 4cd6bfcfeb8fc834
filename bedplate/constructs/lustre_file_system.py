"""FSx for Lustre with EFA and provisioned metadata."""

from __future__ import annotations

from aws_cdk import CfnResource, RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_ec2 as ec2
from bedplate.constructs.l1 import aws_fsx as fsx
from bedplate.constructs.l1 import aws_logs as logs

FILE_SYSTEM_TYPE_VERSION = "2.15"
"""The Lustre version that takes a metadata configuration (FSx API)."""
EFA_CAPACITY_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
"""With EFA, capacity comes in multiples of this many GiB by throughput in MB/s per TiB (FSx User Guide)."""
PLAIN_CAPACITY_STEP_GIB = 2_400
SMALLEST_CAPACITY_GIB = 1_200
LUSTRE_PORTS = ((988, 988), (1018, 1023))
LOG_RETENTION_DAYS = 90
BACKUP_DAYS = 7


class LustreFileSystem(Construct):
    """A PERSISTENT_2 SSD file system in one subnet, reachable by the members of one client security group.

    ``CfnFileSystem`` is used because CDK's ``LustreFileSystem`` knows neither EFA nor metadata. Capacity is
    in GiB and must be a multiple of ``EFA_CAPACITY_STEP_GIB`` with EFA; throughput is in MB/s per TiB;
    ``metadata_iops=None`` lets FSx choose. FSx checks its ports when the file system is made, so it waits for
    every rule (aws-parallelcluster #6181); with EFA both groups allow all traffic of the other by id, in both
    directions.

    ``linked_to_s3`` must be true if data repository associations will be added: FSx keeps no automatic
    backups of a file system with associations.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        subnet_id: str,
        client_group_id: str,
        capacity_gib: int,
        throughput_mbps_per_tib: int,
        efa: bool = True,
        metadata_iops: int | None = None,
        linked_to_s3: bool = False,
    ) -> None:
        super().__init__(scope, id)
        _check(capacity_gib=capacity_gib, throughput_mbps_per_tib=throughput_mbps_per_tib, efa=efa)
        group = self._security_group(vpc_id)
        rules = self._rules(group_id=group.attr_group_id, client_group_id=client_group_id, efa=efa)
        log_group = self._log_group()
        self.resource = fsx.CfnFileSystem(
            self,
            "FileSystem",
            file_system_type="LUSTRE",
            file_system_type_version=FILE_SYSTEM_TYPE_VERSION,
            storage_type="SSD",
            storage_capacity=capacity_gib,
            subnet_ids=[subnet_id],
            security_group_ids=[group.attr_group_id],
            lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
                deployment_type="PERSISTENT_2",
                per_unit_storage_throughput=throughput_mbps_per_tib,
                efa_enabled=efa,
                data_compression_type="LZ4",
                automatic_backup_retention_days=0 if linked_to_s3 else BACKUP_DAYS,
                copy_tags_to_backups=None if linked_to_s3 else True,
                metadata_configuration=fsx.CfnFileSystem.MetadataConfigurationProperty(
                    mode="AUTOMATIC" if metadata_iops is None else "USER_PROVISIONED", iops=metadata_iops
                ),
                log_configuration=fsx.CfnFileSystem.LogConfigurationProperty(
                    level="WARN_ERROR", destination=log_group.attr_arn
                ),
            ),
        )
        """The file system itself; associations hang on it."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN)
        # A file system that stays keeps its interfaces, so its group cannot go, and must stay reachable.
        for each in (group, *rules):
            each.apply_removal_policy(RemovalPolicy.RETAIN)
        self.resource.node.add_dependency(*rules)
        self.file_system_id: str = self.resource.ref
        """Id, ``fs-…``."""
        self.dns_name: str = self.resource.attr_dns_name
        """Name that clients mount from."""
        self.mount_name: str = self.resource.attr_lustre_mount_name
        """FSx's own name of the file system in the mount path."""
        self.security_group_id: str = group.attr_group_id
        """The file system's own security group."""

    def _security_group(self, vpc_id: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            "Group",
            group_description="Lustre file system: its clients and itself",
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

    def _rules(self, *, group_id: str, client_group_id: str, efa: bool) -> list[CfnResource]:
        def both_ways(
            name: str, *, own: str, other: str, protocol: str, ports: tuple[int, int] | None
        ) -> None:
            start, end = ports or (None, None)
            text = "EFA: all traffic, by group id" if ports is None else "Lustre"
            rules.append(
                ec2.CfnSecurityGroupIngress(
                    self,
                    f"{name}In",
                    group_id=own,
                    source_security_group_id=other,
                    ip_protocol=protocol,
                    from_port=start,
                    to_port=end,
                    description=text,
                )
            )
            rules.append(
                ec2.CfnSecurityGroupEgress(
                    self,
                    f"{name}Out",
                    group_id=own,
                    destination_security_group_id=other,
                    ip_protocol=protocol,
                    from_port=start,
                    to_port=end,
                    description=text,
                )
            )

        rules: list[CfnResource] = []
        pairs = {
            "Servers": (group_id, group_id),
            "ServersToClients": (group_id, client_group_id),
            "ClientsToServers": (client_group_id, group_id),
        }
        for name, (own, other) in pairs.items():
            if efa:
                both_ways(name, own=own, other=other, protocol="-1", ports=None)
                continue
            for ports in LUSTRE_PORTS:
                both_ways(f"{name}{ports[0]}", own=own, other=other, protocol="tcp", ports=ports)
        return rules

    def _log_group(self) -> logs.CfnLogGroup:
        # FSx writes only to groups whose name starts so (FSx API, LustreLogCreateConfiguration).
        name = f"/aws/fsx/{Stack.of(self).stack_name}"
        group = logs.CfnLogGroup(self, "LogGroup", log_group_name=name, retention_in_days=LOG_RETENTION_DAYS)
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        return group


def _check(*, capacity_gib: int, throughput_mbps_per_tib: int, efa: bool) -> None:
    if throughput_mbps_per_tib not in EFA_CAPACITY_STEP_GIB:
        allowed = ", ".join(str(each) for each in EFA_CAPACITY_STEP_GIB)
        raise ValueError(f"throughput_mbps_per_tib: {throughput_mbps_per_tib} given, allowed are {allowed}")
    if not efa and capacity_gib == SMALLEST_CAPACITY_GIB:
        return
    step = EFA_CAPACITY_STEP_GIB[throughput_mbps_per_tib] if efa else PLAIN_CAPACITY_STEP_GIB
    if capacity_gib < step or capacity_gib % step:
        what = "with EFA at this throughput" if efa else "without EFA"
        raise ValueError(f"capacity_gib: {capacity_gib} given, {what} it must be a multiple of {step}")
