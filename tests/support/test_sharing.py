"""Processes share a run by whole files, the slow ones first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support.sharing import DEALT_SINGLY, ROOT, slow_files_first, unit_of

ORDERED = '''
"""Tests that stand on each other."""
import pytest

SEEN = []


{marker}
@pytest.mark.parametrize("turn", range(6))
def test_turn(turn):
    """Each follows the one before it, in one process."""
    assert SEEN == list(range(turn))
    SEEN.append(turn)
'''


def test_a_file_is_one_unit_unless_its_tests_are_dealt_out_singly() -> None:
    """The unit is the file, and the test itself for the files named as sharing nothing."""
    assert unit_of("tests/a/test_b.py::test_c[d::e]") == "tests/a/test_b.py"
    single = f"{DEALT_SINGLY[0]}::test_c[d]"
    assert unit_of(single) == single


def test_files_dealt_out_singly_are_there_and_hold_no_module_fixture() -> None:
    """A file that is gone, or whose tests share a fixture of the module, is not for dealing out singly."""
    for file in DEALT_SINGLY:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert 'scope="module"' not in text
        assert "def test_1_" not in text


def test_ordered_tests_of_a_file_hold_where_processes_share_the_run(tmp_path: Path) -> None:
    """With two workers every file runs whole and in order, by -n alone."""
    for name, marker in (("a", ""), ("b", "@pytest.mark.slow"), ("c", "")):
        text = ORDERED.format(marker=marker)
        (tmp_path / f"test_{name}.py").write_text(text, encoding="utf-8")
    conftest = (ROOT / "tests/conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-n", "2", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path), "-c", str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "18 passed" in done.stdout


def test_files_with_slow_tests_come_first_and_keep_their_order() -> None:
    """A file with one slow test comes before those with none; inside a file nothing moves."""

    def item(file: str, turn: int, *, slow: bool = False) -> Any:
        return SimpleNamespace(path=file, turn=turn, get_closest_marker=lambda name: slow or None)

    items = [item("a", 1), item("b", 1), item("b", 2, slow=True), item("c", 1), item("d", 1, slow=True)]
    slow_files_first(items)
    assert [(each.path, each.turn) for each in items] == [("b", 1), ("b", 2), ("d", 1), ("a", 1), ("c", 1)]
