"""What EFS tells of a file system that is given by id, held against the environment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bedplate.validation.preflight.context import Preflight
from bedplate.validation.preflight.existing_judgement import Judgement, judge_options

if TYPE_CHECKING:
    from bedplate.spec.file_systems import ExistingEfs


def look(preflight: Preflight, wanted: ExistingEfs) -> Judgement:
    """Ask for the file system and its mount targets."""
    row = _file_system(preflight, wanted.id)
    if row is None:
        return Judgement(problems=["there is no such file system in this account and Region"])
    network = preflight.environment.network
    return judge(
        wanted,
        row=row,
        targets=mount_targets(preflight, wanted.id),
        zone=network.zone,
        vpc_id=network.vpc.id if network.vpc else "",
    )


def judge(
    wanted: ExistingEfs,
    *,
    row: Mapping[str, Any],
    targets: Sequence[Mapping[str, Any]],
    zone: str,
    vpc_id: str,
) -> Judgement:
    """Hold what EFS tells against what the file says; pure."""
    judgement = Judgement()
    if row.get("LifeCycleState") != "available":
        judgement.problems.append(f"it is {row.get('LifeCycleState')}, not available")
    inside = [target for target in targets if target.get("VpcId") == vpc_id]
    if not inside:
        where = ", ".join(sorted({str(target.get("VpcId")) for target in targets})) or "none"
        judgement.problems.append(f"it has no mount target in {vpc_id} (VPCs with one: {where})")
    own = [target for target in inside if target.get("AvailabilityZoneId") == zone]
    zones = ", ".join(sorted(str(target.get("AvailabilityZoneId")) for target in inside))
    if inside and not own:
        judgement.problems.append(
            f"it has no mount target in {zone}, by which nodes there find it (zones with one: {zones})"
        )
    states = {str(target.get("LifeCycleState")) for target in own} - {"available"}
    if states:
        judgement.problems.append(f"its mount target in {zone} is {', '.join(sorted(states))}")
    judge_options(judgement, kind=wanted.kind, options=wanted.options)
    judgement.told = f"EFS, {row.get('LifeCycleState')}, mount targets in {zones}"
    return judgement


def mount_targets(preflight: Preflight, file_system_id: str) -> list[Mapping[str, Any]]:
    """The mount targets as EFS tells them."""
    from bedplate.validation.aws import aws_errors

    found: list[Mapping[str, Any]] = []
    with aws_errors(f"asking for the mount targets of {file_system_id}"):
        for page in preflight.clients.efs.get_paginator("describe_mount_targets").paginate(
            FileSystemId=file_system_id
        ):
            found += page["MountTargets"]
    return found


def groups_of_targets(preflight: Preflight, targets: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Mount target → ids of its security groups."""
    from bedplate.validation.aws import aws_errors

    found = {}
    for target in targets:
        target_id = str(target["MountTargetId"])
        with aws_errors(f"asking for the security groups of {target_id}"):
            answer = preflight.clients.efs.describe_mount_target_security_groups(MountTargetId=target_id)
        found[target_id] = list(answer["SecurityGroups"])
    return found


def _file_system(preflight: Preflight, file_system_id: str) -> Mapping[str, Any] | None:
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking for the file system {file_system_id}"):
            rows = preflight.clients.efs.describe_file_systems(FileSystemId=file_system_id)["FileSystems"]
    except AwsRefused as error:
        if error_code(error.__cause__) != "FileSystemNotFound":
            raise
        rows = []
    return rows[0] if rows else None
