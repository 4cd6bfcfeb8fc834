"""Which alarms an environment gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bedplate.constructs.data_repository_associations import Association
from bedplate.stacks.deployed_file_system import DeployedFileSystem
from bedplate.stacks.file_system_alarms import file_system_alarms

LOAD = ["LustreNetworkBusy", "LustreDiskBusy", "LustreTargetIops", "LustreMetadataCpu"]


def _names(**fields: Any) -> list[str]:
    given = {"kind": "lustre", "created": True, "file_system_id": "fs-1", "source": "x", "path": "/fsx"}
    return [row.name for row in file_system_alarms(DeployedFileSystem(**{**given, **fields}))]


def _tie(**fields: Any) -> Association:
    return Association(path="/data", data_repository="s3://b/", **{"imports": (), "exports": (), **fields})


def test_lustre_of_ours_is_watched_by_its_fullest_target_and_as_a_whole() -> None:
    """Space, load, and nothing about S3 without a tie."""
    assert _names() == ["LustreTargetSpace", "LustreTargetFilling", "LustreFilling", *LOAD]


def test_a_tie_is_watched_in_the_ways_it_works() -> None:
    """Exports where there are any, imports where there are any, failures where they are logged."""
    both = (_tie(imports=("new",)), _tie(exports=("new",)))
    assert _names(associations=both, log_group_name="/aws/fsx/a")[7:] == [
        "LustreExportLags",
        "LustreImportLags",
        "LustreTieFails",
    ]
    assert _names(associations=(_tie(exports=("new",)),))[7:] == ["LustreExportLags"]


def test_one_that_is_given_may_have_targets_of_any_size_and_any_tie() -> None:
    """Its fullest target is watched by share alone; no data about ties it has not is no alarm."""
    assert _names(created=False) == [
        "LustreTargetFull",
        "LustreTargetFilling",
        "LustreFilling",
        *LOAD,
        "LustreExportLags",
        "LustreImportLags",
    ]


def test_one_that_grows_by_itself_has_no_alarm_on_space() -> None:
    """Intelligent-Tiering has no fixed capacity."""
    assert _names(grows_by_itself=True) == LOAD


def test_other_kinds_have_their_own() -> None:
    """OpenZFS by FSx's metrics, EFS by its own."""
    assert _names(kind="openzfs") == ["OpenZfsFilling", "OpenZfsNetworkBusy", "OpenZfsDiskBusy"]
    assert _names(kind="efs") == ["EfsBusy", "EfsCredits"]


def test_the_stack_watches_each_file_system_by_its_id(case: Callable[[str], Any]) -> None:
    """Every file system of the environment has its alarms, and they go to the topic of people."""
    assembly = case("storage")
    alarms = assembly.resources("observability", "AWS::CloudWatch::Alarm")
    described = [each["Properties"]["AlarmDescription"] for each in alarms.values()]
    mounts = {text.split("] ")[1].split(":")[0] for text in described} - {"Metrics", "Alerts"}
    manifest = json.dumps(assembly.resources("validation", "Custom::BedplateManifest"))
    assert len(mounts) > 3
    assert all(f'\\"mount_path\\":\\"{mount}\\"' in manifest.replace(" ", "") for mount in mounts)
    actions = {json.dumps(each["Properties"]["AlarmActions"]) for each in alarms.values()}
    assert len(actions) == 1


def test_the_log_group_that_is_watched_is_the_file_systems(case: Callable[[str], Any]) -> None:
    """Its name is told to both stacks; a name that is not the group's would be silent for ever."""
    assembly = case("storage")
    groups = {
        each["Properties"]["LogGroupName"]
        for each in assembly.resources("storage", "AWS::Logs::LogGroup").values()
    }
    watched = {
        one["Value"]
        for each in assembly.resources("observability", "AWS::CloudWatch::Alarm").values()
        for one in each["Properties"].get("Dimensions", [])
        if one["Name"] == "LogGroupName"
    }
    assert watched
    assert watched <= groups
