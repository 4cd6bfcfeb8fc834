"""What several tests of the environment file stand on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.spec.environment import Environment
from bedplate.spec.loader import parse_environment
from bedplate.spec.problems import Problem, SpecProblems

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def demo_text() -> str:
    """The text of the demo environment, which breaks no rule."""
    return (ROOT / "environments" / "demo.yaml").read_text(encoding="utf-8")


@pytest.fixture
def changed(demo_text: str) -> Callable[..., str]:
    """Change the demo's text: ``changed(("old", "new"), …)``; each ``old`` must be there."""

    def change(*replacements: tuple[str, str]) -> str:
        text = demo_text
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    return change


@pytest.fixture
def problems_of() -> Callable[[str], list[Problem]]:
    """Return the problems of a text; none if it is an environment."""

    def problems(text: str) -> list[Problem]:
        try:
            assert isinstance(parse_environment(text, file="test.yaml"), Environment)
        except SpecProblems as error:
            return list(error.problems)
        return []

    return problems
