"""Broken files are refused at the right lines, each with a remedy; and every rule has such a file.

The first line of each file in ``broken/`` says what is expected: ``# expect: CAP-001@13 NET-002@8``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.spec.catalogue import ROWS
from bedplate.spec.loader import load_environment
from bedplate.spec.problems import Problem, SpecProblems

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.yaml"))
NOT_IN_A_FILE = {"SPC-014"}
"""The file cannot be read at all: test_unreadable_environments.py."""


def _problems(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(SpecProblems) as caught:
        load_environment(path)
    return caught.value.problems


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_problems_are_those_expected(path: Path) -> None:
    """Exactly the expected ids are reported, on exactly the expected lines."""
    expected = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# expect: ").split()
    assert expected
    assert sorted(f"{problem.id}@{problem.line}" for problem in _problems(path)) == sorted(expected)


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_problems_can_be_acted_on(path: Path) -> None:
    """Each problem shows its source line, points into it and says what to do; all in order."""
    problems = _problems(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for problem in problems:
        assert problem.source == lines[problem.line - 1]
        assert 1 <= problem.column <= len(problem.source)
        assert problem.column - 1 + problem.width <= max(len(problem.source), problem.column)
        assert problem.message
        assert problem.remedy.endswith((".", "?")), problem.remedy
        assert problem.given or problem.allowed or problem.id == "SPC-001"
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_every_rule_has_a_broken_file() -> None:
    """Each id in the catalogue is reported for some broken file, so no rule is one that cannot fail."""
    reported = {problem.id for path in BROKEN for problem in _problems(path)}
    assert reported == set(ROWS) - NOT_IN_A_FILE


def test_every_explanation_is_whole() -> None:
    """Each row says what, why, how to mend and how to check by hand, under its own id."""
    for check_id, row in ROWS.items():
        assert row.id == check_id
        assert all((row.title, row.what, row.why, row.fix, row.by_hand)), check_id
        assert not row.title.endswith(".")
