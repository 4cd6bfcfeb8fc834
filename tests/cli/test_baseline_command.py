"""``bedplate baseline``: accept a run of the result bucket, show it, forget it; refusals say why."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from bedplate.cli import main
from bedplate.validation.reports.result_file import result_json
from bedplate.validation.result import Waiver
from tests.validation.reports.sample_run import healthy_run
from tests.validation.steps.small_cluster import manifest

KEY = "baselines/demo.json"


class _Bucket:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """The object, or S3's refusal."""
        del Bucket
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": Key}}, "GetObject")
        body = SimpleNamespace(read=lambda: self.objects[Key])
        return {"Body": body, "ETag": "x", "LastModified": datetime.now(UTC)}

    def put_object(self, *, Bucket: str, Key: str, Body: bytes) -> None:  # noqa: N803
        """Keep it."""
        del Bucket
        self.objects[Key] = Body

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803
        """Drop it."""
        del Bucket
        self.objects.pop(Key, None)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> _Bucket:
    """The result bucket of a deployed demo, with a healthy run of today, one with a waiver, and one
    whose mark as simulated is text.
    """
    found = _Bucket()
    clients = SimpleNamespace(s3=found, simulated=True)
    monkeypatch.setattr("bedplate.validation.aws.AwsClients", lambda **_: clients)
    monkeypatch.setattr("bedplate.validation.deployed.read_manifest", lambda **_: manifest())
    today = healthy_run(nodes=8, simulated=True).model_copy(
        update={"finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    )
    waived = today.model_copy(update={"waivers": [Waiver(check_id="FAB-001", reason="x")]})
    found.objects["runs/good/result.json"] = result_json(today).encode()
    found.objects["runs/waived/result.json"] = result_json(waived).encode()
    loose = result_json(today).replace('"simulated": true', '"simulated": "no"')
    found.objects["runs/loose/result.json"] = loose.encode()
    return found


def test_a_run_is_accepted_shown_and_forgotten(bucket: _Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason and the figures are there, marked as simulated; afterwards there is none."""
    accept = ["baseline", "accept", "-e", "demo", "--run", "good", "--because", "bought as seen"]
    assert main.run(accept) == 0
    assert "Kept in s3://bucket/baselines/demo.json" in capsys.readouterr().out
    assert main.run(["baseline", "show", "-e", "demo"]) == 0
    shown = capsys.readouterr().out
    assert "SIMULATED" in shown
    assert "bought as seen" in shown
    assert "391.20" in shown
    assert main.run(["baseline", "show", "-e", "demo", "--json"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert (stored["runs"], stored["simulated"]) == (["good"], True)
    assert main.run(["baseline", "forget", "-e", "demo"]) == 0
    assert KEY not in bucket.objects
    assert "Deleted s3://bucket/baselines/demo.json" in capsys.readouterr().out
    assert main.run(["baseline", "forget", "-e", "demo"]) == 0
    assert "nothing was deleted" in capsys.readouterr().out
    assert main.run(["baseline", "show", "-e", "demo"]) == 0
    assert "There is no baseline" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "error_id"),
    [
        (["--run", "waived", "--because", "x"], 1, "BAS-001"),
        (["--run", "missing", "--because", "x"], 1, "BAS-003"),
        (["--run", "loose", "--because", "x"], 1, "BAS-003"),
        (["--run", "good", "--because", " "], 2, "CLI-005"),
        (["--run", "good"], 2, "CLI-005"),
        (["--because", "x"], 2, "CLI-005"),
    ],
)
def test_what_is_no_ground_is_refused_and_nothing_is_stored(
    bucket: _Bucket, capsys: pytest.CaptureFixture[str], words: list[str], code: int, error_id: str
) -> None:
    """In JSON too, with the id that ``bedplate explain`` knows."""
    assert main.run(["baseline", "accept", "-e", "demo", *words, "--json"]) == code
    assert error_id in capsys.readouterr().out
    assert KEY not in bucket.objects


def test_the_remedy_for_a_baseline_that_cannot_be_read_works(
    bucket: _Bucket, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is neither shown nor replaced as it is; once it is forgotten a run is accepted."""
    bucket.objects[KEY] = b'{"a":'
    accept = ["baseline", "accept", "-e", "demo", "--run", "good", "--because", "bought as seen", "--json"]
    assert main.run(accept) == 1
    remedy = json.loads(capsys.readouterr().out)["error"]["remedy"]
    assert remedy.index("baseline forget") < remedy.index("baseline accept")
    assert main.run(["baseline", "forget", "-e", "demo"]) == 0
    assert main.run(accept) == 0
