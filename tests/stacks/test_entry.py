"""app.py as the CDK's command line runs it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Entry = Callable[..., "CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A project folder with cdk.json and an empty environments folder."""
    (tmp_path / "environments").mkdir()
    shutil.copy(ROOT / "cdk.json", tmp_path)
    return tmp_path


def test_a_refused_file_ends_with_3_and_no_traceback(entry: Entry, base: Path) -> None:
    """A broken environment file is refused with its place, and nothing is written."""
    text = (ROOT / "environments/demo.yaml").read_text().replace("p5en.48xlarge", "p5em.48xlarge")
    (base / "environments/broken.yaml").write_text(text)
    done = entry("broken", outdir=base / "out", base=base)
    assert done.returncode == 3
    assert "p5em.48xlarge" in done.stderr
    assert "broken.yaml" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (base / "out").exists()


@pytest.mark.parametrize(("name", "status"), [("", 2), ("nowhere", 3)])
def test_no_such_environment(entry: Entry, base: Path, name: str, status: int) -> None:
    """No name is a usage error, an unknown one a refused file; both without traceback."""
    done = entry(name, outdir=base / "out", base=base)
    assert done.returncode == status
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_nothing_is_looked_up_and_the_same_file_gives_the_same_bytes(entry: Entry, tmp_path: Path) -> None:
    """Two processes with other hash seeds write the same bytes, and no context is missing."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for seed, folder in enumerate(folders):
        done = entry("demo", outdir=folder, CDK_VALIDATION="false", PYTHONHASHSEED=str(seed + 1))
        assert done.returncode == 0, done.stderr
    one, two = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in folders
    )
    assert sorted(one) == sorted(two)
    assert [name for name in one if one[name] != two[name]] == []
    assert b'"missing"' not in one[Path("manifest.json")]
