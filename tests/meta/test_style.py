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
        and not (ast.get_docstring(function) or "").strip().endswith((".", "?"))
    ]
    assert bare == []


def test_every_test_asserts_something() -> None:
    """A test without an assertion, an expected error or a helper that checks cannot fail for its reason."""
    empty = [
        f"{path}:{function.lineno} {function.name}"
        for path in python_files("tests")
        for function in _tests_without_assertion(ast.parse(text_of(path)))
    ]
    assert empty == []


def test_a_test_that_asserts_nothing_is_found() -> None:
    """The rule above finds a test without an assertion, and follows helpers of the same file."""
    module = ast.parse(
        "def _held():\n    assert 1\n"
        "def test_by_helper():\n    _held()\n"
        "def test_empty():\n    print(1)\n"
        "def test_raises():\n    with pytest.raises(E):\n        f()\n"
    )
    assert [function.name for function in _tests_without_assertion(module)] == ["test_empty"]


def _tests_without_assertion(module: ast.Module) -> list[ast.FunctionDef]:
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    helpers = {function.name for function in functions if _asserts(function, frozenset())}
    return [f for f in functions if f.name.startswith("test_") and not _asserts(f, frozenset(helpers))]


def _asserts(function: ast.FunctionDef, helpers: frozenset[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Try):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in helpers or name.endswith(("raises", "fail", "suppress")) or "assert" in name:
                return True
            # Matchers of aws_cdk.assertions raise where they do not match.
            if name.rpartition(".")[2].startswith(("has_", "all_resources", "resource_count")):
                return True
    return False
