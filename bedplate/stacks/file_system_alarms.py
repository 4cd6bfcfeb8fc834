"""Which alarms a file system of the environment gets."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.stacks.deployed_file_system import DeployedFileSystem
from bedplate.telemetry.cloudwatch_alarm import CloudWatchAlarm
from bedplate.telemetry.file_system_alarms import (
    EFS_ALARMS,
    EXPORT_LAGS,
    IMPORT_LAGS,
    LUSTRE_LOAD,
    LUSTRE_SPACE_GIVEN,
    LUSTRE_SPACE_OURS,
    OPENZFS_ALARMS,
    TIE_FAILS,
)


def file_system_alarms(each: DeployedFileSystem) -> tuple[CloudWatchAlarm, ...]:
    """By its kind, by whether we made it, and by what it is tied to."""
    if each.kind == "efs":
        return tuple(EFS_ALARMS)
    if each.kind == "openzfs":
        return tuple(OPENZFS_ALARMS)
    return (*_space(each), *LUSTRE_LOAD, *_ties(each))


def alarmed_resource(each: DeployedFileSystem) -> dict[str, str]:
    """Dimension → its value, for these alarms."""
    log = {"LogGroupName": each.log_group_name} if each.log_group_name else {}
    return {"FileSystemId": each.file_system_id, **log}


def _space(each: DeployedFileSystem) -> Sequence[CloudWatchAlarm]:
    # With Intelligent-Tiering the data are not on the targets, and there is no end to them.
    if each.grows_by_itself:
        return ()
    return LUSTRE_SPACE_OURS if each.created else LUSTRE_SPACE_GIVEN


def _ties(each: DeployedFileSystem) -> list[CloudWatchAlarm]:
    """Of one that is given we do not know the ties: without any, there are no data and no alarm."""
    unknown = not each.created
    rows = []
    if unknown or any(one.exports for one in each.associations):
        rows.append(EXPORT_LAGS)
    if unknown or any(one.imports for one in each.associations):
        rows.append(IMPORT_LAGS)
    if each.associations and each.log_group_name:
        rows.append(TIE_FAILS)
    return rows
