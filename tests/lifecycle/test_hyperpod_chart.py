"""Fetching HyperPod's chart: a made-up archive of the same shape stands for GitHub's."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
import yaml

from bedplate.kubernetes.hyperpod import chart
from bedplate.lifecycle import hyperpod_chart
from bedplate.lifecycle.hyperpod_chart import URL, fetch_chart

FILES = {
    "Chart.yaml": yaml.safe_dump({"name": "x", "dependencies": [{"name": "mlflow"}]}).encode(),
    "charts/deep-health-check/Chart.yaml": b"name: deep-health-check\n",
    "charts/mlflow/Chart.yaml": b"name: mlflow\n",
}


def _archive(**more: bytes) -> bytes:
    made = io.BytesIO()
    top = f"sagemaker-hyperpod-cli-{chart.COMMIT}"
    entries = {f"{top}/{chart.FOLDER}/{path}": content for path, content in {**FILES, **more}.items()}
    with tarfile.open(fileobj=made, mode="w:gz") as opened:
        for path, content in {**entries, f"{top}/README.md": b"not ours"}.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo(f"{top}/{chart.FOLDER}/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        opened.addfile(link)
    return made.getvalue()


SPOILED = _archive()[:60] + b"\xff" * 60 + _archive()[120:]


@pytest.fixture(autouse=True)
def _pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up files are the pinned ones."""
    monkeypatch.setattr(chart, "SHA256", chart.content_digest(FILES))


def _paths(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def test_the_chart_takes_the_folders_place(tmp_path: Path) -> None:
    """What is switched off is not in it, nor what lay there before, nor anything else of the archive."""
    folder = tmp_path / "chart"
    folder.mkdir()
    (folder / "old").write_text("of an older commit")
    asked: list[str] = []

    def download(url: str) -> bytes:
        asked.append(url)
        return _archive()

    fetch_chart(folder, download=download)
    assert asked == [URL]
    assert chart.COMMIT in URL
    assert _paths(folder) == {"Chart.yaml", "charts/deep-health-check/Chart.yaml"}
    assert [each.name for each in tmp_path.iterdir()] == ["chart"]


@pytest.mark.parametrize("archive", [_archive(extra=b""), _archive()[:-40], SPOILED, b"<html>"])
def test_other_files_leave_the_folder_as_it_was(tmp_path: Path, archive: bytes) -> None:
    """One file too many, half an archive, a spoiled one, a page instead of it."""
    folder = tmp_path / "chart"
    folder.mkdir()
    (folder / "old").write_text("of an older commit")
    with pytest.raises(ValueError, match=chart.COMMIT):
        fetch_chart(folder, download=lambda url: archive)
    assert _paths(folder) == {"old"}


def test_an_archive_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its size, before it is read whole."""
    monkeypatch.setattr(hyperpod_chart, "LARGEST_BYTES", 10)
    with pytest.raises(ValueError, match="more than 10 bytes"):
        fetch_chart(tmp_path / "chart", download=lambda url: _archive())
