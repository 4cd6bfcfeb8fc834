"""Processes on GPUs: none is told apart from no answer."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.compute_apps import ComputeApp, parse_compute_apps
from bedplate.diagnosis.parsers.problem import ParseError

TITLES = "pid, process_name, gpu_uuid\n"


@pytest.mark.parametrize("body", ["", "\n", "No running processes found\n"])
def test_titles_alone_are_no_process(body: str) -> None:
    """The GPUs are free."""
    assert parse_compute_apps(TITLES + body) == ()


def test_each_line_is_one_process_on_one_gpu() -> None:
    """A path may hold commas; a process without a name is one all the same."""
    text = TITLES + "41, /opt/a,b/all_reduce_perf, GPU-1\n42, [Not Found], GPU-2\n"
    assert parse_compute_apps(text) == (
        ComputeApp(41, "/opt/a,b/all_reduce_perf", "GPU-1"),
        ComputeApp(42, "[Not Found]", "GPU-2"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "41, all_reduce_perf, GPU-1\n",
        TITLES + "41, all_red",
        TITLES + "x, y, GPU-1",
        "No devices were found",
    ],
)
def test_what_is_not_whole_is_no_answer(text: str) -> None:
    """Without titles, or with a line that was cut, nothing says that the GPUs are free."""
    with pytest.raises(ParseError):
        parse_compute_apps(text)
