"""The package must run on nodes: old Python, no packages, and without delay."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bedplate.hardware

_FOLDER = Path(bedplate.hardware.__file__).parent
_ROOT = _FOLDER.parents[1]
_FILES = sorted(_FOLDER.rglob("*.py"))


@pytest.mark.parametrize("path", _FILES, ids=lambda path: str(path.relative_to(_FOLDER)))
def test_every_file_parses_as_python_3_9(path: Path) -> None:
    """No file uses syntax that Python 3.9 lacks, and all but docstring-only ones postpone annotations."""
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    if any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign) for node in tree.body):
        assert any(node.module == "__future__" for node in imports)


def test_only_the_standard_library_is_imported() -> None:
    """Importing all of it with site packages shut off works, and brings in nothing but itself."""
    code = (
        "import sys, json, importlib, pkgutil\n"
        f"sys.path.insert(0, {str(_ROOT)!r})\n"
        "import bedplate.hardware as h\n"
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(h.__path__, 'bedplate.hardware.')]\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))\n"
    )
    # -I and -S keep out site packages and the environment.
    out = subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True)
    assert set(json.loads(out.stdout)) - sys.stdlib_module_names - {"__main__"} == {"bedplate"}


def test_every_public_name_is_there() -> None:
    """What the package announces, it has, in sorted order and without doubles."""
    names = bedplate.hardware.__all__
    assert len(names) == len(set(names))
    assert all(getattr(bedplate.hardware, name) is not None for name in names)
