"""File systems and buckets in the storage stack: where they stand, who reaches them, what they are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.manifest import ClusterManifest

ROOT = Path(__file__).parents[2]
FSX, RULES = "AWS::FSx::FileSystem", ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")


@pytest.fixture
def every_kind(case: Any) -> Any:
    """New file systems of every kind, two of each."""
    return case("storage")


@pytest.fixture
def existing(assembly_of: Any) -> Any:
    """An environment on file systems that were there before."""
    return assembly_of(ROOT / "environments" / "existing.yaml")


def _manifest(assembly: Any) -> ClusterManifest:
    (resource,) = assembly.resources("validation", "Custom::BedplateManifest").values()
    value = resource["Properties"]["Manifest"]
    pieces = [value] if isinstance(value, str) else value["Fn::Join"][1]
    text = "".join(piece if isinstance(piece, str) else "token" for piece in pieces)
    return ClusterManifest.model_validate_json(text)


def _subnet(reference: Any) -> str:
    """The logical id of the subnet that a weak reference names."""
    return str(reference["Fn::GetStackOutput"]["OutputName"]).removeprefix("PublishOutputFnGetAttNetwork")


def test_several_of_one_kind_stand_side_by_side(every_kind: Any) -> None:
    """Six FSx and two EFS file systems, each told in the manifest in the file's order."""
    assert len(every_kind.resources("storage", FSX)) == 6
    assert len(every_kind.resources("storage", "AWS::EFS::FileSystem")) == 2
    told = [(each.kind, each.mount_path, each.created) for each in _manifest(every_kind).file_systems]
    assert told == [
        ("lustre", "/fsx", True),
        ("lustre", "/fsx-2", True),
        ("lustre", "/archive", True),
        ("lustre", "/archive-2", True),
        ("openzfs", "/home", True),
        ("openzfs", "/code", True),
        ("efs", "/apps", True),
        ("efs", "/apps-2", True),
    ]


def test_a_file_system_that_comes_or_goes_moves_no_other(
    every_kind: Any, assembly_of: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Logical ids follow the mount point: in another order, with one left out, the others keep theirs."""
    data = yaml.safe_load(every_kind.file.read_text(encoding="utf-8"))
    kept = [each for each in data["storage"]["file_systems"] if each["mount"] != "/fsx-2"]
    data["storage"]["file_systems"] = kept[::-1]
    file = tmp_path_factory.mktemp("reordered") / "storage.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    before, after = (set(each.templates["storage"]["Resources"]) for each in (every_kind, assembly_of(file)))
    assert after < before
    assert all(key.startswith("FileSystemfsx2") for key in before - after)


def test_file_systems_stand_with_the_nodes(every_kind: Any) -> None:
    """FSx in the GPU subnet; EFS with one mount target there and one in the other zone."""
    for file_system in every_kind.resources("storage", FSX).values():
        (subnet,) = file_system["Properties"]["SubnetIds"]
        assert _subnet(subnet).startswith("GpuSubnet")
    targets = every_kind.resources("storage", "AWS::EFS::MountTarget").values()
    places = [
        (str(each["Properties"]["FileSystemId"]), _subnet(each["Properties"]["SubnetId"])[:13])
        for each in targets
    ]
    assert len(places) == len(set(places)) == 4
    assert {place for _, place in places} == {"GpuSubnetC900", "ControlSubnet"}


def test_beside_a_local_zone_they_stand_in_the_region(assembly_of: Any) -> None:
    """Nodes in a Local Zone: file systems are in a control subnet of the Region, without EFA."""
    assembly = assembly_of(ROOT / "environments" / "ultraserver.yaml")
    file_systems = [each["Properties"] for each in assembly.resources("storage", FSX).values()]
    assert {_subnet(each["SubnetIds"][0])[:14] for each in file_systems} == {"ControlSubnetA"}
    efa = [
        each["LustreConfiguration"]["EfaEnabled"] for each in file_systems if "LustreConfiguration" in each
    ]
    assert efa == [False]


def test_created_buckets_live_as_the_file_says(every_kind: Any) -> None:
    """One for each association; old versions and objects move on after the days that are given."""
    buckets = {
        key: each
        for key, each in every_kind.resources("storage", "AWS::S3::Bucket").items()
        if key.startswith("Bucket")
    }
    assert len(buckets) == 2
    for bucket in buckets.values():
        (rule,) = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
        assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 14}
        assert rule["Transitions"] == [{"StorageClass": "STANDARD_IA", "TransitionInDays": 60}]


def test_the_result_bucket_keeps_old_versions_as_long(every_kind: Any) -> None:
    """It is a created bucket too; its small objects stay out of Standard-IA, where they cost more."""
    (results,) = (
        each
        for key, each in every_kind.resources("storage", "AWS::S3::Bucket").items()
        if key.startswith("Results")
    )
    (rule,) = results["Properties"]["LifecycleConfiguration"]["Rules"]
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 14}
    assert "Transitions" not in rule


def test_associations_hang_on_their_own_file_system(every_kind: Any) -> None:
    """Both associations name the first file system, and the second waits for the first."""
    associations = every_kind.resources("storage", "AWS::FSx::DataRepositoryAssociation")
    first, second = associations.values()
    ids = {json.dumps(each["Properties"]["FileSystemId"]) for each in associations.values()}
    assert len(ids) == 1
    assert "FileSystemfsxFileSystem" in ids.pop()
    assert second["DependsOn"] == [next(iter(associations))]
    assert first["Properties"]["ImportedFileChunkSize"] == 2048
    assert second["Properties"]["BatchImportMetaDataOnCreate"] is False


def test_no_two_rules_are_the_same(assembly: Any) -> None:
    """EC2 refuses the second of two same rules, and the deploy with it."""
    seen = [
        (
            type_,
            json.dumps({k: v for k, v in each["Properties"].items() if k != "Description"}, sort_keys=True),
        )
        for role in assembly.templates
        for type_ in RULES
        for each in assembly.resources(role, type_).values()
    ]
    assert len(seen) == len(set(seen))


def test_existing_file_systems_get_rules_and_nothing_else(existing: Any) -> None:
    """Nothing is made; rules lead from the nodes to each group, for Lustre back too, never among servers."""
    assert not existing.resources("storage", FSX)
    assert not existing.resources("storage", "AWS::EFS::FileSystem")
    rules = {
        key: each["Properties"]
        for type_ in RULES
        for key, each in existing.resources("storage", type_).items()
    }
    groups = {f"sg-0123456789abcdef{number}" for number in range(3)}
    ends = [
        {
            str(rule["GroupId"]),
            str(rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")),
        }
        for rule in rules.values()
    ]
    assert all(len(pair) == 2 and len(pair & groups) == 1 for pair in ends)
    ports = {
        str(rule["GroupId"]): rule.get("FromPort")
        for rule in rules.values()
        if str(rule["GroupId"]) in groups
    }
    assert ports == {
        "sg-0123456789abcdef0": None,
        "sg-0123456789abcdef1": 2049,
        "sg-0123456789abcdef2": 2049,
    }


def test_nodes_mount_existing_file_systems_by_what_the_file_says(existing: Any) -> None:
    """Names are AWS's own for the id; options are the file's where it gives any."""
    told = {each.mount_path: (each.mount_source, each.created) for each in _manifest(existing).file_systems}
    assert told == {
        "/fsx": ("fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef1v", False),
        "/models": ("fs-0123456789abcdef1.fsx.us-west-2.amazonaws.com:/fsx/models", False),
        "/home": ("fs-0123456789abcdef2:/", False),
    }
    assert "nconnect=16" in json.dumps(existing.templates["orchestration"])
