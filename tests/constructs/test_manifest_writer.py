"""The custom resource's handler, with a bucket in memory and an answer URL that writes down."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HANDLER = Path(__file__).parents[2] / "bedplate/constructs/handlers/manifest_writer/index.py"


class Bucket:
    """Just enough of an S3 client."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], bytes] = {}
        self.refuses = False

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, ContentType: str) -> None:  # noqa: N803
        """Keep an object, or refuse as S3 does."""
        if self.refuses:
            raise PermissionError("AccessDenied")
        self.objects[Bucket, Key] = Body

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803
        """Forget an object; one that is not there is no error."""
        self.objects.pop((Bucket, Key), None)


@pytest.fixture
def bucket() -> Bucket:
    """An empty bucket."""
    return Bucket()


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch, bucket: Bucket) -> ModuleType:
    """The handler as Lambda loads it: a file, no package."""
    spec = importlib.util.spec_from_file_location("manifest_writer_index", HANDLER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.boto3, "client", lambda name: bucket)
    return module


def _call(handler: ModuleType, monkeypatch: pytest.MonkeyPatch, **event: Any) -> dict[str, Any]:
    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(handler, "respond", lambda url, answer: answers.append(answer))
    base = {
        "RequestType": "Create",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Object",
        "ResponseURL": "https://example.com/answer",
        "ResourceProperties": {"Bucket": "results", "Key": "manifest/x.json", "Manifest": '{"b": 1, "a": 2}'},
    }
    handler.handler({**base, **event}, None)
    (answer,) = answers
    return answer


def test_create_writes_the_manifest(
    handler: ModuleType, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The object has sorted keys, and the answer has its location and digest."""
    answer = _call(handler, monkeypatch)
    body = bucket.objects["results", "manifest/x.json"]
    assert json.loads(body) == {"a": 2, "b": 1}
    assert body.index(b'"a"') < body.index(b'"b"')
    assert answer["Status"] == "SUCCESS"
    assert answer["PhysicalResourceId"] == answer["Data"]["Location"] == "s3://results/manifest/x.json"
    assert answer["Data"]["Sha256"] == hashlib.sha256(body).hexdigest()


def test_an_update_keeps_the_physical_id(
    handler: ModuleType, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same place has the same id, so that CloudFormation replaces nothing."""
    first = _call(handler, monkeypatch)
    again = _call(handler, monkeypatch, RequestType="Update", PhysicalResourceId=first["PhysicalResourceId"])
    assert again["PhysicalResourceId"] == first["PhysicalResourceId"]


def test_delete_removes_what_the_id_names(
    handler: ModuleType, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delete goes by the physical id, so that a replaced object goes and the new one stays."""
    bucket.objects["old", "k.json"] = b"{}"
    bucket.objects["results", "manifest/x.json"] = b"{}"
    answer = _call(handler, monkeypatch, RequestType="Delete", PhysicalResourceId="s3://old/k.json")
    assert answer["Status"] == "SUCCESS"
    assert list(bucket.objects) == [("results", "manifest/x.json")]


def test_deleting_what_was_never_written_succeeds(
    handler: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A create that failed leaves an id that names nothing; its delete must not hold the stack."""
    answer = _call(
        handler, monkeypatch, RequestType="Delete", PhysicalResourceId="bedplate-manifest-not-written"
    )
    assert answer["Status"] == "SUCCESS"


def test_a_refusal_is_answered(handler: ModuleType, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """CloudFormation hears FAILED with the reason; silence would hold the stack until its time is up."""
    bucket.refuses = True
    answer = _call(handler, monkeypatch)
    assert answer["Status"] == "FAILED"
    assert "AccessDenied" in answer["Reason"]


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_what_is_no_json_object_is_refused(
    handler: ModuleType, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """A broken manifest fails the deploy and nothing is written."""
    properties = {"Bucket": "results", "Key": "manifest/x.json", "Manifest": text}
    answer = _call(handler, monkeypatch, ResourceProperties=properties)
    assert answer["Status"] == "FAILED"
    assert bucket.objects == {}


def test_the_answer_has_an_empty_content_type(handler: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signed URL of CloudFormation refuses any other content type."""
    seen: list[Any] = []

    class Opened:
        def __enter__(self) -> None: ...
        def __exit__(self, *error: object) -> None: ...

    def urlopen(request: Any, timeout: int) -> Opened:
        seen.append((request, timeout))
        return Opened()

    monkeypatch.setattr(handler.urllib.request, "urlopen", urlopen)
    handler.respond("https://example.com/answer", {"Status": "SUCCESS"})
    ((request, timeout),) = seen
    assert request.get_method() == "PUT"
    assert request.get_header("Content-type") == ""
    assert json.loads(request.data) == {"Status": "SUCCESS"}
    assert timeout <= 60
