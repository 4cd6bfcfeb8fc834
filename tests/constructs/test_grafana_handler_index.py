"""The entry of the handler of Grafana's content: what it answers CloudFormation."""

from __future__ import annotations

import hashlib
import io
import json
from types import ModuleType
from typing import Any

import pytest

from tests.constructs.grafana_aws import Client, Gone
from tests.constructs.grafana_handler import load

BODY = json.dumps({"bedplate-fleet": {"title": "Fleet"}}).encode()
PROPERTIES = {
    "WorkspaceId": "g-0123456789",
    "FolderUid": "bedplate",
    "FolderTitle": "Bedplate",
    "Configuration": "{}",
    "Permissions": "{}",
    "Sources": "[]",
    "Content": {"Bucket": "assets", "Key": "key.json"},
    "ContentSha256": hashlib.sha256(BODY).hexdigest(),
    "Uids": ["bedplate-fleet"],
}
PHYSICAL_ID = "g-0123456789/bedplate"


class Bucket:
    """One object."""

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """Its body."""
        return {"Body": io.BytesIO(BODY)}


@pytest.fixture
def client() -> Client:
    """A workspace whose Grafana does not answer."""
    return Client()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, client: Client) -> ModuleType:
    """The entry, with AWS played and no patience."""
    module = load("index", monkeypatch)
    monkeypatch.setattr(module.boto3, "client", lambda name: {"grafana": client, "s3": Bucket()}[name])
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(module, "PATIENCE_AT_DELETE_SECONDS", 0)
    return module


def _call(index: ModuleType, monkeypatch: pytest.MonkeyPatch, **event: Any) -> dict[str, Any]:
    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(index, "respond", lambda url, answer: answers.append(answer))
    base = {
        "RequestType": "Create",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Content",
        "ResponseURL": "https://example.com/answer",
        "ResourceProperties": PROPERTIES,
    }
    index.handler({**base, **event}, None)
    (answer,) = answers
    return answer


def test_a_grafana_that_does_not_answer_fails_the_create(
    index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is told under the id by which the delete clears what there is, and the token is gone."""
    answer = _call(index, monkeypatch)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("FAILED", PHYSICAL_ID)
    assert "Grafana did not answer to GET /api/folders/bedplate" in answer["Reason"]
    assert (client.tokens, client.accounts) == ({}, {})


def test_a_grafana_that_does_not_answer_holds_no_delete(
    index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else the roll-back of a failed create would hang on what failed it; the log says what is left."""
    answer = _call(index, monkeypatch, RequestType="Delete", PhysicalResourceId=PHYSICAL_ID)
    assert answer["Status"] == "SUCCESS"
    assert "left_in" in capsys.readouterr().out
    assert (client.tokens, client.accounts) == ({}, {})


def test_a_workspace_that_is_gone_holds_no_delete(
    index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has taken everything along."""
    monkeypatch.setattr(client, "describe_workspace", lambda **_: (_ for _ in ()).throw(Gone()))
    answer = _call(index, monkeypatch, RequestType="Delete", PhysicalResourceId=PHYSICAL_ID)
    assert answer["Status"] == "SUCCESS"
    assert client.calls == []


def test_aws_refusing_a_delete_is_told(
    index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right that lacks is not taken for a workspace that is gone."""
    client.breaks = {"account ADMIN"}
    answer = _call(index, monkeypatch, RequestType="Delete", PhysicalResourceId=PHYSICAL_ID)
    assert (answer["Status"], answer["Reason"]) == ("FAILED", "RuntimeError: account ADMIN broke")


def test_other_bytes_than_the_template_names_are_not_shown(
    index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked of the workspace."""
    answer = _call(index, monkeypatch, ResourceProperties={**PROPERTIES, "ContentSha256": "0" * 64})
    assert answer["Status"] == "FAILED"
    assert "is not what the template names" in answer["Reason"]
    assert client.calls == []


def test_a_long_reason_is_cut(index: ModuleType, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """CloudFormation takes 4096 bytes of answer in all."""
    client.statuses = ["X" * 5000]
    answer = _call(index, monkeypatch)
    assert answer["Status"] == "FAILED"
    assert len(answer["Reason"]) == index.REASON_LIMIT
