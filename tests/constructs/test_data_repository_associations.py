"""Associations one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Resources = Callable[[Any, str], dict[str, Any]]
TYPE = "AWS::FSx::DataRepositoryAssociation"


def _build(associations: list[dict[str, Any]]) -> Callable[[Any], None]:
    def build(stack: Any) -> None:
        from bedplate.constructs.data_repository_associations import Association, DataRepositoryAssociations

        DataRepositoryAssociations(
            stack,
            "Ties",
            file_system_id="fs-1",
            associations=[Association(**each) for each in associations],
        )

    return build


def test_each_association_waits_for_the_one_before(resources: Resources) -> None:
    """FSx makes one at a time: each association depends on its predecessor, in the given order."""
    paths = ["/a", "/b", "/c"]
    found = resources(_build([{"path": each, "data_repository": "s3://x/"} for each in paths]), TYPE)
    by_path = {each["Properties"]["FileSystemPath"]: (key, each) for key, each in found.items()}
    assert list(by_path) == paths
    assert "DependsOn" not in by_path["/a"][1]
    assert by_path["/b"][1]["DependsOn"] == [by_path["/a"][0]]
    assert by_path["/c"][1]["DependsOn"] == [by_path["/b"][0]]


def test_events_travel_in_the_asked_direction_only(resources: Resources) -> None:
    """Imports follow S3, exports the folder; without events there is no policy."""
    found = resources(
        _build(
            [
                {"path": "/in", "data_repository": "s3://x/", "imports": ("new", "deleted")},
                {"path": "/out", "data_repository": "s3://y/", "exports": ("changed",)},
                {"path": "/still", "data_repository": "s3://z/"},
            ]
        ),
        TYPE,
    )
    properties = {each["Properties"]["FileSystemPath"]: each["Properties"] for each in found.values()}
    assert properties["/in"]["S3"] == {"AutoImportPolicy": {"Events": ["NEW", "DELETED"]}}
    assert properties["/out"]["S3"] == {"AutoExportPolicy": {"Events": ["CHANGED"]}}
    assert "S3" not in properties["/still"]


def test_a_ninth_association_is_refused(resources: Resources) -> None:
    """FSx takes eight per file system."""
    nine = [{"path": f"/p{index}", "data_repository": "s3://x/"} for index in range(9)]
    with pytest.raises(ValueError, match="9 given, FSx takes 8"):
        resources(_build(nine), TYPE)


def test_chunks_and_what_is_there_already_are_as_given(resources: Resources) -> None:
    """What the bucket holds shows by itself, whatever the events, unless it is told not to."""
    found = resources(
        _build(
            [
                {"path": "/a", "data_repository": "s3://x/", "chunk_mib": 4096},
                {"path": "/b", "data_repository": "s3://y/", "imports": ("new",), "import_existing": False},
            ]
        ),
        TYPE,
    )
    properties = {each["Properties"]["FileSystemPath"]: each["Properties"] for each in found.values()}
    assert properties["/a"]["ImportedFileChunkSize"] == 4096
    assert properties["/a"]["BatchImportMetaDataOnCreate"] is True
    assert "ImportedFileChunkSize" not in properties["/b"]
    assert properties["/b"]["BatchImportMetaDataOnCreate"] is False


def test_folders_of_like_names_have_ids_of_their_own(resources: Resources) -> None:
    """A hyphen, a dot and a slash do not become the same."""
    paths = ["/a-b", "/a.b", "/a/b", "/ab"]
    found = resources(_build([{"path": each, "data_repository": f"s3://x{each}/"} for each in paths]), TYPE)
    assert len(found) == 4


@pytest.mark.parametrize(
    ("associations", "message"),
    [
        ([{"path": "/a"}, {"path": "/a/b"}], "/a and /a/b overlap"),
        ([{"path": "/"}, {"path": "/a"}], "/ and /a overlap"),
        ([{"path": "/a", "chunk_mib": 0}], "1 to 512000"),
        ([{"path": "/a", "chunk_mib": 512_001}], "1 to 512000"),
    ],
)
def test_what_fsx_refuses_of_associations_does_not_synthesise(
    resources: Resources, associations: list[dict[str, Any]], message: str
) -> None:
    """Overlapping folders and chunks out of range are refused before the deploy."""
    with pytest.raises(ValueError, match=message):
        resources(_build([{"data_repository": "s3://x/", **each} for each in associations]), TYPE)
