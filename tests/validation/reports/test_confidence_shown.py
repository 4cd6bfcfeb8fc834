"""Tests that reports tell how sure a verdict is, and by which tests."""

from __future__ import annotations

import html
import io
from collections.abc import Callable

import pytest

from bedplate.validation.reports.html.page import render_html
from bedplate.validation.reports.junit import render_junit
from bedplate.validation.reports.terminal import render_terminal
from bedplate.validation.reports.wording import confidence_text
from bedplate.validation.result import RunResult
from tests.validation.reports.sample_run import faulty_run, healthy_run, node_id


def _terminal(result: RunResult) -> str:
    return render_terminal(result, stream=io.StringIO(), width=200)


@pytest.mark.parametrize("render", [_terminal, render_html, render_junit])
def test_an_inferred_fault_says_how_sure_it_is_and_by_which_tests(render: Callable[[RunResult], str]) -> None:
    """The node that is slow between nodes has both of its tests; a run without faults has nothing of it."""
    text = html.unescape(render(faulty_run()))
    assert "99.9 % sure" in text
    for number, other in ((1, 4), (2, 1)):
        assert f"Round {number}, " in text
        assert node_id(other) in text
    assert "% sure" not in render(healthy_run())


@pytest.mark.parametrize(
    ("confidence", "text"),
    [(None, ""), (0.99987, "99.9 % sure"), (1.0, "99.9 % sure"), (0.909, "90.9 % sure"), (0.0, "0 % sure")],
)
def test_nothing_is_certain_and_what_was_not_inferred_says_nothing(confidence, text) -> None:
    """Rounded down, so that no doubt is rounded away."""
    assert confidence_text(confidence) == text
