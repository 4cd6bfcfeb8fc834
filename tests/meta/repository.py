"""The tracked files of the repository, for the tests about the repository itself."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = ("requirements/", "package-lock.json", "LICENSE")
"""Locks and the licence: written by tools, or by others."""


@lru_cache(maxsize=1)
def tracked_files() -> tuple[Path, ...]:
    """Every file that git does not ignore, relative to the root; every file where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\0")
        names = [name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(ROOT)) for path in _walk(ROOT)]
    return tuple(sorted(Path(name) for name in set(names) if (ROOT / name).is_file()))


def _walk(folder: Path) -> list[Path]:
    skipped = {".venv", "node_modules", "build", "dist", "cdk.out"}
    found: list[Path] = []
    for path in folder.iterdir():
        if path.is_dir() and path.name not in skipped and not path.name.startswith("."):
            found += _walk(path)
        elif path.is_file():
            found.append(path)
    return found


def text_of(path: Path) -> str:
    """A tracked file's text; empty for one that is not UTF-8."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def python_files(*tops: str) -> list[Path]:
    """The Python files below the given top folders."""
    return [path for path in tracked_files() if path.suffix == ".py" and path.parts[0] in tops]
