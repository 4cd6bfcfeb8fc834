"""The handler that writes the life-cycle scripts, with buckets in memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HANDLER = Path(__file__).parents[2] / "bedplate/constructs/handlers/hyperpod_scripts/index.py"
PROPERTIES = {
    "Bucket": "scripts",
    "Prefix": "proof/0123",
    "Files": {"groups": "h200 Compute\n"},
    "Copies": {"program.pyz": {"Bucket": "assets", "Key": "key.pyz"}},
}


class Buckets:
    """Just enough of an S3 client, one page per object."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], bytes] = {("assets", "key.pyz"): b"program"}

    def put_object(self, *, Bucket: str, Key: str, Body: bytes) -> None:  # noqa: N803
        """Keep an object."""
        self.objects[Bucket, Key] = Body

    def copy_object(self, *, Bucket: str, Key: str, CopySource: dict[str, str]) -> None:  # noqa: N803
        """Copy an object; KeyError where there is none."""
        self.objects[Bucket, Key] = self.objects[CopySource["Bucket"], CopySource["Key"]]

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803
        """Forget an object."""
        del self.objects[Bucket, Key]

    def get_paginator(self, name: str) -> Buckets:
        """The one paginator that there is."""
        assert name == "list_objects_v2"
        return self

    def paginate(self, *, Bucket: str, Prefix: str) -> Iterator[dict[str, Any]]:  # noqa: N803
        """An empty page, then a page for each object."""
        yield {}
        for bucket, key in list(self.objects):
            if bucket == Bucket and key.startswith(Prefix):
                yield {"Contents": [{"Key": key}]}


@pytest.fixture
def buckets() -> Buckets:
    """The assets' bucket has the program."""
    return Buckets()


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch, buckets: Buckets) -> ModuleType:
    """The handler as Lambda loads it: a file, no package."""
    spec = importlib.util.spec_from_file_location("hyperpod_scripts_index", HANDLER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.boto3, "client", lambda name: buckets)
    return module


def _call(handler: ModuleType, monkeypatch: pytest.MonkeyPatch, **event: Any) -> dict[str, Any]:
    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(handler, "respond", lambda url, answer: answers.append(answer))
    base = {
        "RequestType": "Create",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Folder",
        "ResponseURL": "https://example.com/answer",
        "ResourceProperties": PROPERTIES,
    }
    handler.handler({**base, **event}, None)
    (answer,) = answers
    return answer


def test_create_fills_the_folder(
    handler: ModuleType, buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts are written, objects copied, and the answer says where they are."""
    answer = _call(handler, monkeypatch)
    assert answer["Status"] == "SUCCESS"
    assert answer["PhysicalResourceId"] == answer["Data"]["Uri"] == "s3://scripts/proof/0123"
    assert buckets.objects["scripts", "proof/0123/groups"] == b"h200 Compute\n"
    assert buckets.objects["scripts", "proof/0123/program.pyz"] == b"program"


def test_delete_empties_the_folder_and_no_other(
    handler: ModuleType, buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose name begins alike stays, and so does a folder that the properties name by then."""
    _call(handler, monkeypatch)
    _call(handler, monkeypatch, ResourceProperties={**PROPERTIES, "Prefix": "proof/01234"})
    answer = _call(
        handler,
        monkeypatch,
        RequestType="Delete",
        PhysicalResourceId="s3://scripts/proof/0123",
        ResourceProperties={**PROPERTIES, "Prefix": "proof/01234"},
    )
    assert answer["Status"] == "SUCCESS"
    kept = {key for bucket, key in buckets.objects if bucket == "scripts"}
    assert kept == {"proof/01234/groups", "proof/01234/program.pyz"}


def test_what_cannot_be_copied_fails_and_is_said(
    handler: ModuleType, buckets: Buckets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing asset fails the resource; to delete what was never written does not."""
    buckets.objects.clear()
    answer = _call(handler, monkeypatch)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", "bedplate-scripts-not-written")
    assert "key.pyz" in answer["Reason"]
    gone = _call(
        handler, monkeypatch, RequestType="Delete", PhysicalResourceId="bedplate-scripts-not-written"
    )
    assert gone["Status"] == "SUCCESS"
