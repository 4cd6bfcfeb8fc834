"""Which file ``--env`` means. Standard library only."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from bedplate.errors import SpecRefused

FOLDER = "environments"


def find_environment(name_or_path: str, base: Path) -> Path:
    """Return the file that is meant: a path, or the name of a file in ``environments/`` under ``base``.

    Whatever holds a slash or ends in .yaml or .yml is a path, relative to ``base``. Raises ``SpecRefused``
    (SPC-014) where there is no such file, with the nearest name that there is.
    """
    if "/" in name_or_path or name_or_path.endswith((".yaml", ".yml")):
        path = base / name_or_path
        if not path.exists() or path.is_dir():  # a pipe such as /dev/stdin will do
            raise SpecRefused(
                f"there is no file {name_or_path}",
                error_id="SPC-014",
                remedy=_advice(name_or_path, base),
                file=name_or_path,
            )
        return path
    path = base / FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        raise SpecRefused(
            f"there is no environment '{name_or_path}' ({FOLDER}/{name_or_path}.yaml under {base})",
            error_id="SPC-014",
            remedy=_advice(name_or_path, base),
            file=name_or_path,
        )
    return path


def shown(path: Path) -> str:
    """Name a file as briefly as it can be found from the current folder."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (ValueError, OSError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        return str(path)


def environment_called(path: Path) -> bool:
    """Say whether what was given as a path is the name of an environment here, and no YAML file's."""
    return path.name == str(path) and not path.suffix and (Path(FOLDER) / f"{path}.yaml").is_file()


def _advice(given: str, base: Path) -> str:
    known = sorted(path.stem for path in (base / FOLDER).glob("*.yaml"))
    close = get_close_matches(Path(given).stem, known, n=1, cutoff=0.5)
    if close:
        return f"Did you mean '{close[0]}'? There are: {', '.join(known)}."
    if known:
        return f"Name one of: {', '.join(known)}; or write one with `bedplate init`."
    return "Run this in the folder that holds environments/, or write a file with `bedplate init`."
