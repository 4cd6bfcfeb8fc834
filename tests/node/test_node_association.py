"""The node's part of a round trip: wait, read, write, and leave nothing."""

from __future__ import annotations

import argparse
import hashlib
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.node import association

RUN = "20260101T000000Z-abcd"
RELEASED = "(0x0000000d) released exists archived, archive_id:1"


@pytest.fixture
def fsx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node's file system with an `lfs` that says of every file that it is released."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "lfs").write_text(f'#!/bin/sh\n[ -e "$2" ] || exit 2\necho "$2: {RELEASED}"\n')
    (folder / "lfs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.setattr(association, "_PAUSE_SECONDS", 0.01)
    (tmp_path / "fsx/data").mkdir(parents=True)
    return tmp_path / "fsx"


def run(action: str = "trip", *, seconds: float = 5.0, **place: Any) -> dict[str, Any]:
    """The row of /fsx/data."""
    places = [{"folder": "/fsx/data", **place}]
    text = association.encode_settings(run_id=RUN, action=action, seconds=seconds, places=places)
    rows: list[dict[str, Any]] = association.run(argparse.Namespace(settings=text))["places"]
    assert [each["folder"] for each in rows] == ["/fsx/data"]
    return rows[0]


def own(fsx: Path) -> Path:
    """The run's own folder."""
    return fsx / "data" / association.OWN_FOLDER / RUN


def test_a_file_that_shows_late_is_waited_for_and_read(fsx: Path) -> None:
    """Its state is asked before it is read, and its digest is that of what it holds."""

    def show() -> None:
        time.sleep(0.1)
        own(fsx).mkdir(parents=True)
        (own(fsx) / association.IN).write_bytes(b"from S3")

    late = threading.Thread(target=show)
    late.start()
    row = run(**{"in": True})
    late.join()
    assert row["out"] is None
    assert (row["in"]["appeared"], row["in"]["problem"]) == (True, "")
    assert RELEASED in row["in"]["state_before"]
    assert row["in"]["sha256"] == hashlib.sha256(b"from S3").hexdigest()


def test_a_file_that_never_shows_is_waited_for_and_told(fsx: Path) -> None:
    """To the limit of time, and no longer."""
    row = run(seconds=0.2, **{"in": True})
    assert row["in"]["appeared"] is False
    assert 0.2 <= row["in"]["seconds"] < 5


def test_what_is_written_is_there_whole_and_told_by_its_digest(fsx: Path) -> None:
    """64 KiB, in the run's own folder."""
    row = run(out=True)
    content = (own(fsx) / association.OUT).read_bytes()
    assert (len(content), row["in"]) == (association.SIZE_BYTES, None)
    assert row["out"]["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_folder_that_cannot_be_written_is_a_problem(fsx: Path) -> None:
    """A file lies where the folder should be."""
    (fsx / "data" / association.OWN_FOLDER).write_text("")
    assert "cannot be written" in run(out=True)["out"]["problem"]


def test_cleaning_removes_this_runs_folder_and_no_other(fsx: Path) -> None:
    """Another run's files stay; without them the folder above goes too."""
    run(out=True)
    other = own(fsx).parent / "other"
    other.mkdir()
    assert run("clean")["removed"] is True
    assert (own(fsx).exists(), other.exists()) == (False, True)
    other.rmdir()
    assert run("clean")["removed"] is True
    assert list((fsx / "data").iterdir()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"run_id": "../x"},
        {"run_id": ""},
        {"action": "remove"},
        {"places": []},
        {"places": [{"folder": "fsx"}]},
        {"places": [{}]},
        {"seconds": "soon"},
    ],
)
def test_settings_that_name_no_run_or_no_folder_are_refused(changes: dict[str, Any]) -> None:
    """They decide what is written and removed."""
    whole: dict[str, Any] = {"run_id": RUN, "action": "clean", "seconds": 1.0, "places": [{"folder": "/fsx"}]}
    text = association.encode_settings(**{**whole, **changes})
    with pytest.raises(association.AssociationSettingsError):
        association.run(argparse.Namespace(settings=text))
    with pytest.raises(association.AssociationSettingsError):
        association.run(argparse.Namespace(settings="%%%"))
