"""The package must run on nodes: Python 3.9 and nothing installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bedplate.diagnosis

FOLDER = Path(bedplate.diagnosis.__file__).parent
ROOT = FOLDER.parents[1]
FILES = sorted(FOLDER.rglob("*.py"))
YOUNGER_NAMES = {"StrEnum", "pairwise", "UTC", "slots", "kw_only", "strict", "batched", "ExceptionGroup"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_file_uses_what_python_3_9_lacks(path: Path) -> None:
    """Syntax by the grammar of 3.9, annotations postponed, and no name or argument that came later."""
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    imports = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    if any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign) for node in tree.body):
        assert "__future__" in imports
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.arg or "" for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    assert not used & YOUNGER_NAMES


def test_only_the_standard_library_is_imported() -> None:
    """Importing all of it with site packages shut off works, and brings in nothing but the package itself."""
    code = (
        "import sys, json, importlib, pkgutil\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import bedplate.diagnosis as d\n"
        "for m in pkgutil.walk_packages(d.__path__, 'bedplate.diagnosis.'):\n"
        "    importlib.import_module(m.name)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    # -I and -S keep out site packages and the environment.
    out = subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True)
    modules = set(json.loads(out.stdout))
    tops = {name.partition(".")[0] for name in modules}
    assert tops - sys.stdlib_module_names - {"__main__"} == {"bedplate"}
    floors = {name.split(".")[1] for name in modules if name.startswith("bedplate.")}
    assert floors == {"diagnosis", "hardware", "explanation"}
