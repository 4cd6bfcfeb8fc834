"""From one new file system of the environment file to its construct."""

from __future__ import annotations

from dataclasses import dataclass, replace

from constructs import Construct

from bedplate.constructs.data_repository_associations import Association, DataRepositoryAssociations
from bedplate.constructs.efs_file_system import EfsFileSystem
from bedplate.constructs.lustre_file_system import LustreFileSystem
from bedplate.constructs.lustre_log_group import lustre_log_group_name
from bedplate.constructs.lustre_tiering_file_system import LustreTieringFileSystem
from bedplate.constructs.openzfs_file_system import ROOT_VOLUME, OpenZfsFileSystem
from bedplate.spec.file_systems import Efs, Lustre, LustreTiering, OpenZfs
from bedplate.stacks.deployed_file_system import DeployedFileSystem, lustre_source


@dataclass(frozen=True, kw_only=True)
class StoragePlace:
    """Where file systems stand; ids may be CDK tokens.

    ``zone_subnets`` has one subnet for each zone that nodes and services use, the file systems' own first.
    ``log_prefix`` comes before the mount point in the names of log groups.
    """

    vpc_id: str
    subnet_id: str
    client_group_id: str
    zone_subnets: dict[str, str]
    log_prefix: str


def lustre(
    scope: Construct,
    id_: str,
    *,
    wanted: Lustre,
    place: StoragePlace,
    associations: tuple[Association, ...],
) -> DeployedFileSystem:
    """Make a Lustre file system on SSD, and tie its folders to their buckets."""
    made = LustreFileSystem(
        scope,
        id_,
        vpc_id=place.vpc_id,
        subnet_id=place.subnet_id,
        client_group_id=place.client_group_id,
        capacity_gib=wanted.capacity_gib,
        throughput_mbps_per_tib=wanted.throughput_mbps_per_tib,
        efa=wanted.efa,
        metadata_iops=None if wanted.metadata_iops == "automatic" else wanted.metadata_iops,
        compression=wanted.compression,
        kms_key_arn=wanted.kms_key,
        backup_days=wanted.backup_days,
        maintenance=wanted.maintenance,
        log_level=wanted.logs,
        log_name=place.log_prefix + wanted.mount,
    )
    DataRepositoryAssociations(
        scope, f"{id_}Associations", file_system_id=made.file_system_id, associations=associations
    )
    return replace(
        _of_lustre(made, mount=wanted.mount, efa=wanted.efa),
        associations=associations,
        log_group_name=_log_group(wanted, place),
        throughput_mb_per_s=wanted.capacity_gib * wanted.throughput_mbps_per_tib // 1024,
    )


def lustre_tiering(
    scope: Construct, id_: str, *, wanted: LustreTiering, place: StoragePlace
) -> DeployedFileSystem:
    """Make a Lustre file system with Intelligent-Tiering."""
    made = LustreTieringFileSystem(
        scope,
        id_,
        vpc_id=place.vpc_id,
        subnet_id=place.subnet_id,
        client_group_id=place.client_group_id,
        throughput_mbps=wanted.throughput_mbps,
        read_cache_gib=wanted.read_cache_gib,
        efa=wanted.efa,
        metadata_iops=wanted.metadata_iops,
        compression=wanted.compression,
        kms_key_arn=wanted.kms_key,
        backup_days=wanted.backup_days,
        maintenance=wanted.maintenance,
        log_level=wanted.logs,
        log_name=place.log_prefix + wanted.mount,
    )
    return replace(
        _of_lustre(made, mount=wanted.mount, efa=wanted.efa),
        grows_by_itself=True,
        log_group_name=_log_group(wanted, place),
        throughput_mb_per_s=wanted.throughput_mbps,
    )


def openzfs(scope: Construct, id_: str, *, wanted: OpenZfs, place: StoragePlace) -> DeployedFileSystem:
    """Make an OpenZFS file system."""
    made = OpenZfsFileSystem(
        scope,
        id_,
        vpc_id=place.vpc_id,
        subnet_id=place.subnet_id,
        client_group_id=place.client_group_id,
        capacity_gib=wanted.capacity_gib,
        throughput_mbps=wanted.throughput_mbps,
        deployment=wanted.deployment,
        compression=wanted.compression,
        kms_key_arn=wanted.kms_key,
        backup_days=wanted.backup_days,
        maintenance=wanted.maintenance,
    )
    return DeployedFileSystem(
        kind="openzfs",
        created=True,
        file_system_id=made.file_system_id,
        source=f"{made.dns_name}:{ROOT_VOLUME}",
        path=wanted.mount,
        volume_id=made.root_volume_id,
        dns_name=made.dns_name,
    )


def efs(scope: Construct, id_: str, *, wanted: Efs, place: StoragePlace) -> DeployedFileSystem:
    """Make an EFS file system with a mount target in each zone that is used."""
    made = EfsFileSystem(
        scope,
        id_,
        vpc_id=place.vpc_id,
        subnet_ids=place.zone_subnets,
        client_group_id=place.client_group_id,
        throughput=wanted.throughput,
        backup=wanted.backup,
        kms_key_arn=wanted.kms_key,
    )
    return DeployedFileSystem(
        kind="efs",
        created=True,
        file_system_id=made.file_system_id,
        source=f"{made.file_system_id}:/",
        path=wanted.mount,
    )


def _log_group(wanted: Lustre | LustreTiering, place: StoragePlace) -> str | None:
    return None if wanted.logs == "none" else lustre_log_group_name(place.log_prefix + wanted.mount)


def _of_lustre(
    made: LustreFileSystem | LustreTieringFileSystem, *, mount: str, efa: bool
) -> DeployedFileSystem:
    return DeployedFileSystem(
        kind="lustre",
        created=True,
        file_system_id=made.file_system_id,
        source=lustre_source(dns_name=made.dns_name, mount_name=made.mount_name),
        path=mount,
        efa=efa,
        dns_name=made.dns_name,
        mount_name=made.mount_name,
    )
