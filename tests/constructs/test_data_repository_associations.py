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
    """Imports load metadata at creation and follow S3; exports follow the folder; no events, no policy."""
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
    assert properties["/in"]["BatchImportMetaDataOnCreate"] is True
    assert properties["/out"]["S3"] == {"AutoExportPolicy": {"Events": ["CHANGED"]}}
    assert properties["/out"]["BatchImportMetaDataOnCreate"] is False
    assert "S3" not in properties["/still"]


def test_a_ninth_association_is_refused(resources: Resources) -> None:
    """FSx takes eight per file system."""
    nine = [{"path": f"/p{index}", "data_repository": "s3://x/"} for index in range(9)]
    with pytest.raises(ValueError, match="9 given, FSx takes 8"):
        resources(_build(nine), TYPE)
