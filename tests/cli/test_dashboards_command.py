"""``bedplate dashboards export``: files whole, what is another's left alone, errors with ids."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from bedplate.telemetry.dashboards.catalogue import all_dashboards

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
AMP = "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0123"


def test_files_are_written_whole_and_again_the_same(bedplate: Bedplate, tmp_path: Path) -> None:
    """Twice into one folder leaves what once leaves, nothing beside, and another's file as it was."""
    folder = tmp_path / "grafana"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    found = []
    for _ in range(2):
        done = bedplate("dashboards", "export", str(folder), "--prometheus", AMP)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"Wrote 10 dashboards, data sources and compose.yaml into {folder}.\n"
        found.append({path: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert found[0] == found[1]
    assert (folder / "mine.txt").read_text() == "mine"
    names = {str(path.relative_to(folder)) for path in found[0]}
    assert names == {
        "mine.txt",
        "compose.yaml",
        "provisioning/dashboards/bedplate.yaml",
        "provisioning/datasources/bedplate.yaml",
        *(f"dashboards/{uid}.json" for uid in all_dashboards()),
    }


def test_json_names_the_files(bedplate: Bedplate, tmp_path: Path) -> None:
    """For machines, alone on standard output."""
    done = bedplate("dashboards", "export", str(tmp_path), "--prometheus", AMP, "--json")
    told = json.loads(done.stdout)
    assert told["folder"] == str(tmp_path)
    assert all((tmp_path / name).is_file() for name in told["files"])
    assert len(told["files"]) == 13


def test_without_a_region_it_says_what_stays_empty(bedplate: Bedplate, tmp_path: Path) -> None:
    """A page of FSx without figures would be taken for a fault."""
    done = bedplate("dashboards", "export", str(tmp_path), "--prometheus", "http://10.0.0.5:9090")
    assert done.returncode == 0
    assert "no CloudWatch source" in done.stderr


def test_what_is_no_address_writes_nothing(bedplate: Bedplate, tmp_path: Path) -> None:
    """The error has its id, and the folder stays as it was."""
    done = bedplate(
        "dashboards", "export", str(tmp_path / "new"), "--prometheus", "prometheus:9090", "--json"
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["id"] == "CLI-007"
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_is_said(bedplate: Bedplate, tmp_path: Path) -> None:
    """A file stands where a folder is needed."""
    (tmp_path / "dashboards").write_text("")
    done = bedplate("dashboards", "export", str(tmp_path), "--prometheus", AMP)
    assert done.returncode == 1
    assert str(tmp_path) in done.stderr
