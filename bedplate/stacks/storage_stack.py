"""The file system and the buckets of an environment."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.access_log_bucket import AccessLogBucket
from bedplate.constructs.data_bucket import DataBucket
from bedplate.constructs.data_repository_associations import Association, DataRepositoryAssociations
from bedplate.constructs.lustre_file_system import LustreFileSystem
from bedplate.spec import Environment
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.network_stack import NetworkStack

CREATE = "create"
"""The word in the environment file that asks for a bucket of our own."""


class StorageStack(EnvironmentStack):
    """What must not be lost: protected against termination, and everything in it that holds data is retained.

    ``lustre`` is None where the environment has no file system.
    """

    def __init__(self, scope: Construct, *, environment: Environment, network: NetworkStack) -> None:
        super().__init__(
            scope,
            environment=environment,
            role="storage",
            purpose="file system and buckets",
            termination_protection=True,
        )
        self.add_stack_dependency(network)
        self._log_bucket_name = AccessLogBucket(self, "AccessLogs").bucket_name
        self.results = DataBucket(self, "Results", log_bucket_name=self._log_bucket_name)
        """Bucket for the manifest, the nodes' answers and the reports."""
        self.lustre: LustreFileSystem | None = None
        """The file system."""
        self.associations: tuple[Association, ...] = ()
        """Its folders that are tied to buckets."""
        wanted = environment.storage.lustre
        if wanted is None:
            return
        self.lustre = LustreFileSystem(
            self,
            "Lustre",
            vpc_id=network.vpc_id,
            subnet_id=network.gpu_subnet_id,
            client_group_id=network.fabric_group_id,
            capacity_gib=wanted.capacity_gib,
            throughput_mbps_per_tib=wanted.throughput_mbps_per_tib,
            efa=wanted.efa,
            metadata_iops=None if wanted.metadata_iops == "automatic" else wanted.metadata_iops,
            linked_to_s3=bool(wanted.associations),
        )
        self.associations = tuple(
            Association(
                path=each.path,
                data_repository=f"s3://{self._bucket(each.path, each.bucket)}/{each.prefix}",
                imports=each.import_,
                exports=each.export,
            )
            for each in wanted.associations
        )
        DataRepositoryAssociations(
            self,
            "Associations",
            file_system_id=self.lustre.file_system_id,
            associations=self.associations,
        )

    def _bucket(self, path: str, bucket: str) -> str:
        if bucket != CREATE:
            return bucket
        words = "".join(character if character.isalnum() else " " for character in path).split()
        name = "Bucket" + "".join(word.capitalize() for word in words)
        return DataBucket(self, name, log_bucket_name=self._log_bucket_name).bucket_name
