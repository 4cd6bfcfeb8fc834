"""What the runner installs: this package as a wheel, and its own part of the lock."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import bedplate
from bedplate.constructs.runner_source import REQUIREMENTS
from bedplate.constructs.runner_wheel import WHEEL_NAME, build_wheel
from tests.support.runner_lock import NOT_NEEDED, runner_requirements


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return build_wheel(folder=tmp_path_factory.mktemp("wheel"))


def test_the_same_sources_give_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    """A synthesis that changes nothing uploads nothing."""
    assert wheel.name == WHEEL_NAME
    assert build_wheel(folder=tmp_path).read_bytes() == wheel.read_bytes()


def test_every_file_is_in_its_record_with_its_digest(wheel: Path) -> None:
    """pip refuses a wheel whose record does not fit, and so would it."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read(f"bedplate-{bedplate.__version__}.dist-info/RECORD").decode()
        rows = dict(line.split(",", 1) for line in record.splitlines())
        assert sorted(rows) == sorted(names)
        for name in ("bedplate/__init__.py", "bedplate/cli/main.py"):
            digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=")
            assert rows[name].startswith(f"sha256={digest.decode()},")
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.slow
def test_pip_installs_it_and_its_command_answers(wheel: Path, tmp_path: Path) -> None:
    """As the build does it: no dependencies, and `bedplate runner` is there."""
    site = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-index",
            "--target",
            str(site),
            str(wheel),
        ],
        check=True,
        timeout=120,
    )
    done = subprocess.run(
        [sys.executable, "-m", "bedplate.cli.main", "runner", "--help"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "as the runner in the account does" in done.stdout


def test_its_requirements_are_a_part_of_the_lock() -> None:
    """`python -m tests.support.runner_lock` would change nothing; what synthesis alone needs is not in it."""
    text = REQUIREMENTS.read_text(encoding="utf-8")
    assert text == runner_requirements()
    names = {line.split("==")[0] for line in text.splitlines() if "==" in line}
    assert {"boto3", "pydantic", "pydantic-core", "click"} <= names
    assert not names & NOT_NEEDED
    assert text.count("--hash=sha256:") > len(names)


def test_what_is_installed_here_is_what_the_runner_installs() -> None:
    """The sandbox runs builds with this environment: the same lock made it."""
    pinned = {
        line.split("==")[0]: line.split("==")[1].split(" ")[0]
        for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    assert {name: version(name) for name in pinned} == pinned
