"""The file systems and the buckets of an environment."""

from __future__ import annotations

import re

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.constructs.access_log_bucket import AccessLogBucket
from bedplate.constructs.account_list_object import AccountListObject
from bedplate.constructs.accounting_database import AccountingDatabase
from bedplate.constructs.association_access import AssociationAccess, TiedFolder
from bedplate.constructs.data_bucket import DataBucket
from bedplate.constructs.data_repository_associations import Association
from bedplate.constructs.file_system_rules import FileSystemRules
from bedplate.constructs.user_list_object import UserListObject
from bedplate.node.bootstrap.settings import Mount
from bedplate.slurm.pcs_cluster_shape import cluster_name
from bedplate.spec import Environment
from bedplate.spec.file_system_traffic import traffic_of
from bedplate.spec.file_systems import Efs, FileSystem, Lustre, LustreTiering, OpenZfs
from bedplate.spec.orchestrator import SlurmHyperPod, SlurmPcs
from bedplate.spec.regions import is_local_zone
from bedplate.stacks import new_file_systems
from bedplate.stacks.deployed_file_system import DeployedFileSystem
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.existing_file_systems import Existing, existing
from bedplate.stacks.listed_users import user_list
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.new_file_systems import StoragePlace
from bedplate.stacks.slurm_teams import accounts_of

CREATE = "create"
"""The word in the environment file that asks for a bucket of our own."""


class StorageStack(EnvironmentStack):
    """What must not be lost: protected against termination, and everything in it that holds data is retained.

    Logical ids follow the mount point, so that one file system of several can come and go.
    """

    def __init__(self, scope: Construct, *, environment: Environment, network: NetworkStack) -> None:
        super().__init__(
            scope,
            environment=environment,
            role="storage",
            purpose="file systems and buckets",
            termination_protection=True,
        )
        self.add_stack_dependency(network)
        self._environment = environment
        self._log_bucket_name = AccessLogBucket(self, "AccessLogs").bucket_name
        self.results = DataBucket(
            self,
            "Results",
            log_bucket_name=self._log_bucket_name,
            noncurrent_days=environment.storage.buckets.old_versions_days,
        )
        """Bucket for the manifest, the list of users, the nodes' answers and the reports."""
        self.users_key: str | None = self._users_key()
        """Key of the list of users in that bucket; None where the environment lists none."""
        self.accounts_key: str | None = self._accounts_key()
        """Key of the list of teams there; None where Systems Manager tells them, or there are none."""
        self._place = StoragePlace(
            vpc_id=network.vpc_id,
            subnet_id=network.storage_subnet_id,
            client_group_id=network.fabric_group_id,
            zone_subnets=_zone_subnets(environment, network),
            log_prefix=self.stack_name,
        )
        self._opened: set[tuple[str, str]] = set()
        self.file_systems: tuple[DeployedFileSystem, ...] = tuple(
            self._file_system(each) for each in environment.storage.file_systems
        )
        """The file systems in the order of the environment file, new ones and those that were there."""
        self.mounts: tuple[Mount, ...] = tuple(each.mount for each in self.file_systems)
        """What every node mounts, in the same order."""
        self.accounting: AccountingDatabase | None = self._accounting(network)
        """The database of slurmdbd, where the cluster runs that itself and jobs are recorded."""
        access = self._association_access()
        self.tied_object_arns: tuple[str, ...] = access.object_arns if access else ()
        """What validation may write in the buckets that folders are tied to."""
        self.association_policy_arns: tuple[str, ...] = access.policy_arns if access else ()
        """Managed policies with that right, attached to nobody."""

    def _accounting(self, network: NetworkStack) -> AccountingDatabase | None:
        """Here and not beside the cluster: what jobs there were outlives it, and a cluster that fails to come
        up must not have to take a protected database away.
        """
        slurm = self._environment.slurm
        if slurm is None or isinstance(slurm, SlurmPcs) or not slurm.accounting:
            return None
        zones = self._environment.network.control_zones
        return AccountingDatabase(
            self,
            "Accounting",
            # RDS takes no two hyphens in a row; what the stack adds keeps two databases apart.
            name=re.sub("-+", "-", cluster_name(self._environment.name)),
            vpc_id=network.vpc_id,
            subnet_ids=dict(zip(zones, network.control_subnet_ids, strict=True)),
            client_group_id=network.fabric_group_id,
            credentials="user-and-password" if isinstance(slurm, SlurmHyperPod) else "password",
            # Whether HyperPod's slurmdbd comes by TLS is unverified; it must not be kept out.
            tls_only=not isinstance(slurm, SlurmHyperPod),
        )

    def _users_key(self) -> str | None:
        """Write the list here, since nodes boot while the next stack is deployed."""
        users = user_list(self._environment.slurm)
        if users is None:
            return None
        return UserListObject(
            self,
            "Users",
            environment=self._environment.name,
            users=users,
            bucket_name=self.results.bucket_name,
            bucket_arn=self.results.bucket_arn,
        ).key

    def _accounts_key(self) -> str | None:
        slurm = self._environment.orchestrator
        if not isinstance(slurm, SlurmHyperPod) or not slurm.teams:
            return None
        return AccountListObject(
            self,
            "Teams",
            environment=self._environment.name,
            teams=accounts_of(slurm.teams),
            bucket_name=self.results.bucket_name,
            bucket_arn=self.results.bucket_arn,
        ).key

    def _association_access(self) -> AssociationAccess | None:
        """The right to send files through the folders in which something new travels by itself. It is beside
        the buckets, so that no other stack refers to them for it.
        """
        folders = [
            TiedFolder(bucket=bucket, prefix=prefix)
            for each in self.file_systems
            for one in each.associations
            if "new" in one.imports or "new" in one.exports
            for bucket, _, prefix in [one.data_repository.removeprefix("s3://").partition("/")]
        ]
        if not folders:
            return None
        access = AssociationAccess(self, "AssociationAccess", folders=folders)
        CfnOutput(
            self,
            "AssociationPolicyArns",
            value=",".join(access.policy_arns),
            description="Attach these too to whoever runs `bedplate validate`, for files to and from S3",
        )
        return access

    def _file_system(self, wanted: FileSystem) -> DeployedFileSystem:
        name = f"FileSystem{_in_id(wanted.mount)}"
        if isinstance(wanted, Lustre):
            return self._lustre(name, wanted)
        if isinstance(wanted, LustreTiering):
            return new_file_systems.lustre_tiering(self, name, wanted=wanted, place=self._place)
        if isinstance(wanted, OpenZfs):
            return new_file_systems.openzfs(self, name, wanted=wanted, place=self._place)
        if isinstance(wanted, Efs):
            return new_file_systems.efs(self, name, wanted=wanted, place=self._place)
        self._open(name, wanted)
        return existing(wanted, region=self._environment.region)

    def _lustre(self, name: str, wanted: Lustre) -> DeployedFileSystem:
        associations = tuple(
            Association(
                path=each.path,
                data_repository=f"s3://{self._bucket(wanted.mount + each.path, each.bucket)}/{each.prefix}",
                imports=each.import_,
                exports=each.export,
                chunk_mib=each.chunk_mib,
                import_existing=each.import_existing,
            )
            for each in wanted.associations
        )
        return new_file_systems.lustre(
            self, name, wanted=wanted, place=self._place, associations=associations
        )

    def _bucket(self, place: str, bucket: str) -> str:
        if bucket != CREATE:
            return bucket
        cycle = self._environment.storage.buckets
        return DataBucket(
            self,
            f"Bucket{_in_id(place)}",
            log_bucket_name=self._log_bucket_name,
            noncurrent_days=cycle.old_versions_days,
            infrequent_access_days=cycle.infrequent_access_days,
        ).bucket_name

    def _open(self, name: str, wanted: Existing) -> None:
        """Rules between the cluster's group and that of a file system; once for each group and traffic.

        None among its servers: they work already, and EC2 refuses a rule that is there.
        """
        group, clients = wanted.security_group, self._place.client_group_id
        traffic = traffic_of(wanted).kind
        if group is None or group == clients or (group, traffic) in self._opened:
            return
        self._opened.add((group, traffic))
        FileSystemRules(self, name, server_group_id=group, client_group_id=clients, traffic=traffic)


def _zone_subnets(environment: Environment, network: NetworkStack) -> dict[str, str]:
    """Zone → one subnet in it; the file systems' own zone first."""
    wanted = environment.network
    first = wanted.control_zones[0] if is_local_zone(wanted.zone) else wanted.zone
    zones = {first: network.storage_subnet_id}
    for zone, subnet in zip(wanted.control_zones, network.control_subnet_ids, strict=False):
        zones.setdefault(zone, subnet)
    return zones


def _in_id(path: str) -> str:
    """The path in a construct's id, which takes no slash; two paths never become the same."""
    return path.replace("/", ":")
