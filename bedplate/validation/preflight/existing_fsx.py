"""What FSx tells of a file system that is given by id, held against the environment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bedplate.validation.preflight.context import Preflight
from bedplate.validation.preflight.existing_judgement import Judgement, judge_options, judge_place

if TYPE_CHECKING:
    from types_boto3_fsx.type_defs import FileSystemTypeDef, VolumeTypeDef

    from bedplate.spec.file_systems import ExistingLustre, ExistingOpenZfs

_KINDS = {"existing-lustre": "LUSTRE", "existing-openzfs": "OPENZFS"}


def look(preflight: Preflight, wanted: ExistingLustre | ExistingOpenZfs) -> Judgement:
    """Ask for the file system, its subnets and, for OpenZFS, its volumes."""
    row = file_system(preflight, wanted.id)
    if row is None:
        return Judgement(problems=["there is no such file system in this account and Region"])
    volumes = _volumes(preflight, wanted.id) if wanted.kind == "existing-openzfs" else []
    network = preflight.environment.network
    return judge(
        wanted,
        row=row,
        volumes=volumes,
        zones=zones_of(preflight, row.get("SubnetIds", [])),
        zone=network.zone,
        vpc_id=network.vpc.id if network.vpc else "",
    )


def judge(
    wanted: ExistingLustre | ExistingOpenZfs,
    *,
    row: FileSystemTypeDef,
    volumes: Sequence[VolumeTypeDef],
    zones: Mapping[str, str],
    zone: str,
    vpc_id: str,
) -> Judgement:
    """Hold what FSx tells against what the file says; pure. ``zones`` is subnet → zone id."""
    judgement = Judgement()
    kind, state = row.get("FileSystemType"), row.get("Lifecycle")
    if kind != _KINDS[wanted.kind]:
        judgement.problems.append(f"it is of the type {kind}, not {_KINDS[wanted.kind]}")
        return judgement
    if state == "UPDATING":
        judgement.warn("it is being updated", "Look whether the update ends before the nodes come up.")
    elif state != "AVAILABLE":
        judgement.problems.append(f"it is {state}, not AVAILABLE")
    efa = wanted.kind == "existing-lustre" and wanted.efa
    judge_place(judgement, vpc_id=row.get("VpcId"), wanted_vpc=vpc_id, zones=zones, wanted_zone=zone, efa=efa)
    judge_options(judgement, kind=wanted.kind, options=wanted.options)
    if wanted.kind == "existing-lustre":
        _judge_lustre(judgement, wanted, row)
    else:
        _judge_volume(judgement, wanted, volumes)
    size = f"{row.get('StorageCapacity', 0)} GiB" if row.get("StorageCapacity") else "no fixed size"
    judgement.told = f"{kind}, {state}, {size}, in {', '.join(sorted(set(zones.values())))}"
    return judgement


def _judge_lustre(judgement: Judgement, wanted: ExistingLustre, row: FileSystemTypeDef) -> None:
    lustre = row.get("LustreConfiguration", {})
    if lustre.get("MountName") != wanted.mount_name:
        judgement.problems.append(
            f"its mount name is {lustre.get('MountName')}, the file says {wanted.mount_name}"
        )
    has_efa = bool(lustre.get("EfaEnabled"))
    if wanted.efa and not has_efa:
        judgement.problems.append("it was made without EFA, and the file says `efa: true`")
    if has_efa and not wanted.efa:
        judgement.warn(
            "it has EFA, and the file says `efa: false`: nodes reach it by TCP",
            "Write `efa: true` where its group and the cluster's let each other through.",
        )


def _judge_volume(judgement: Judgement, wanted: ExistingOpenZfs, volumes: Sequence[VolumeTypeDef]) -> None:
    by_path = {
        each.get("OpenZFSConfiguration", {}).get("VolumePath", "").rstrip("/"): each for each in volumes
    }
    volume = by_path.get(wanted.path.rstrip("/"))
    if volume is None:
        there = ", ".join(sorted(by_path)) or "none"
        judgement.problems.append(f"it has no volume {wanted.path}; there are {there}")
        return
    exports = [
        client
        for export in volume.get("OpenZFSConfiguration", {}).get("NfsExports", [])
        for client in export.get("ClientConfigurations", [])
    ]
    if not exports:
        judgement.problems.append(f"{wanted.path} is exported to nobody")
    elif "ro" not in wanted.options and not any(
        "no_root_squash" in one.get("Options", []) for one in exports
    ):
        judgement.warn(
            f"{wanted.path} takes root for nobody: a node's test at boot, whether it can write there, passes "
            "only if anybody may",
            "Export the volume with no_root_squash, or give the mount option ro.",
        )


def file_system(preflight: Preflight, file_system_id: str) -> FileSystemTypeDef | None:
    """The file system as FSx tells it, or None where there is none of that id."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking for the file system {file_system_id}"):
            rows = preflight.clients.fsx.describe_file_systems(FileSystemIds=[file_system_id])["FileSystems"]
    except AwsRefused as error:
        if error_code(error.__cause__) != "FileSystemNotFound":
            raise
        rows = []
    return rows[0] if rows else None


def zones_of(preflight: Preflight, subnet_ids: Sequence[str]) -> dict[str, str]:
    """Subnet → zone id, for subnets that EC2 knows."""
    from bedplate.validation.aws import aws_errors

    if not subnet_ids:
        return {}
    with aws_errors(f"asking for the subnets {', '.join(subnet_ids)}"):
        rows = preflight.clients.ec2.describe_subnets(SubnetIds=list(subnet_ids))["Subnets"]
    return {row.get("SubnetId", ""): row.get("AvailabilityZoneId", "") for row in rows}


def _volumes(preflight: Preflight, file_system_id: str) -> list[VolumeTypeDef]:
    from bedplate.validation.aws import aws_errors

    found: list[VolumeTypeDef] = []
    with aws_errors(f"asking for the volumes of {file_system_id}"):
        pages = preflight.clients.fsx.get_paginator("describe_volumes").paginate(
            Filters=[{"Name": "file-system-id", "Values": [file_system_id]}]
        )
        for page in pages:
            found += page["Volumes"]
    return found
