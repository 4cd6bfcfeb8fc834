"""The style of the house: small files, and a sentence with every test."""

from __future__ import annotations

import ast
from statistics import median

from tests.meta.repository import python_files, text_of

CEILING = 500
MEDIAN = 250


def _line_counts(*tops: str) -> dict[str, int]:
    return {str(path): text_of(path).count("\n") for path in python_files(*tops)}


def test_no_file_is_longer_than_500_lines() -> None:
    """A file of more than 500 lines holds more than one idea."""
    counts = _line_counts("bedplate", "tests")
    assert {path: count for path, count in counts.items() if count > CEILING} == {}
    assert len(counts) > 50


def test_the_median_file_is_shorter_than_250_lines() -> None:
    """Most files of the package are read in one sitting."""
    counts = [count for count in _line_counts("bedplate").values() if count > 3]
    assert median(counts) < MEDIAN


def test_every_test_states_its_behaviour() -> None:
    """Each test function has a docstring: one statement of the behaviour that it holds."""
    bare = [
        f"{path}:{function.lineno} {function.name}"
        for path in python_files("tests")
        for function in ast.walk(ast.parse(text_of(path)))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and function.name.startswith("test_")
        and not (ast.get_docstring(function) or "").strip().endswith(".")
    ]
    assert bare == []


def test_every_test_asserts_something() -> None:
    """A test without an assertion, an expected error or a helper that checks cannot fail for its reason."""
    empty = [
        f"{path}:{function.lineno} {function.name}"
        for path in python_files("tests")
        for function in ast.walk(ast.parse(text_of(path)))
        if isinstance(function, ast.FunctionDef)
        and function.name.startswith("test_")
        and not _asserts(function)
    ]
    assert empty == []


def _asserts(function: ast.FunctionDef) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.endswith(("raises", "fail")) or "assert" in name or "check" in name or "has_" in name:
                return True
    return False
