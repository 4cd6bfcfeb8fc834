"""EFS with mount targets, reached by NFS over TLS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_system_group import FileSystemGroup
from bedplate.constructs.l1 import aws_efs as efs

TO_INFREQUENT_ACCESS = "AFTER_30_DAYS"


class EfsFileSystem(Construct):
    """An encrypted file system with mount targets in several zones, for one client security group.

    ``subnet_ids`` is from a zone's id to a subnet in it: EFS takes one mount target a zone. Clients must use
    TLS (``mount -t efs -o tls`` of amazon-efs-utils) and come in by a mount target; the policy asks for no
    IAM identity, the security group decides who gets to the port. Mount targets wait for the rules and stay
    with the file system.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        vpc_id: str,
        subnet_ids: Mapping[str, str],
        client_group_id: str,
        throughput: Literal["elastic", "bursting"] = "elastic",
        backup: bool = True,
        kms_key_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        if not subnet_ids:
            raise ValueError("subnet_ids: none given, a file system without mount target is out of reach")
        group = FileSystemGroup(
            self,
            "Access",
            vpc_id=vpc_id,
            client_group_id=client_group_id,
            traffic="nfs",
            description="EFS: its mount targets",
        )
        self.resource = efs.CfnFileSystem(
            self,
            "FileSystem",
            encrypted=True,
            kms_key_id=kms_key_arn,
            performance_mode="generalPurpose",
            throughput_mode=throughput,
            backup_policy=efs.CfnFileSystem.BackupPolicyProperty(status="ENABLED" if backup else "DISABLED"),
            lifecycle_policies=[
                efs.CfnFileSystem.LifecyclePolicyProperty(transition_to_ia=TO_INFREQUENT_ACCESS),
                efs.CfnFileSystem.LifecyclePolicyProperty(
                    transition_to_primary_storage_class="AFTER_1_ACCESS"
                ),
            ],
            file_system_policy=_policy(),
        )
        """The file system itself."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        self.file_system_id: str = self.resource.ref
        """Id, ``fs-…``."""
        self.security_group_id: str = group.group_id
        """The mount targets' own security group."""
        for zone, subnet_id in subnet_ids.items():
            target = efs.CfnMountTarget(
                self,
                f"MountTarget{zone}",
                file_system_id=self.file_system_id,
                security_groups=[group.group_id],
                subnet_id=subnet_id,
            )
            target.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
            target.node.add_dependency(*group.rules)


def _policy() -> dict[str, object]:
    """What EFS grants by itself where there is no policy, but over TLS only."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "ByMountTarget",
                "Effect": "Allow",
                "Principal": {"AWS": "*"},
                "Action": [
                    "elasticfilesystem:ClientMount",
                    "elasticfilesystem:ClientWrite",
                    "elasticfilesystem:ClientRootAccess",
                ],
                "Condition": {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
            },
            {
                "Sid": "TlsOnly",
                "Effect": "Deny",
                "Principal": {"AWS": "*"},
                "Action": "*",
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }
