"""The times of Capacity Blocks on the page, in the terminal and in JSON."""

from __future__ import annotations

import pytest

from bedplate.validation.reports.blocks import block_views
from bedplate.validation.reports.html import render_html
from bedplate.validation.reports.result_file import result_json
from bedplate.validation.reports.terminal import render_terminal
from bedplate.validation.result import BlockResult, RunResult
from tests.validation.reports.sample_run import healthy_run

BLOCK = BlockResult(
    pool="h200",
    reservation_id="cr-0123456789abcdef0",
    start_time="2026-02-01T11:30:00Z",
    warning_time="2026-02-15T10:50:00Z",
    taken_time="2026-02-15T11:00:00Z",
    end_time="2026-02-15T11:30:00Z",
)


def _run(finished_at: str = "2026-02-03T09:21:47Z", block: BlockResult = BLOCK) -> RunResult:
    return healthy_run().model_copy(update={"blocks": [block], "finished_at": finished_at})


def test_every_report_shows_the_times() -> None:
    """Block, the moment at which nodes go and the end are on the page, in the terminal and in JSON."""
    page, terminal = render_html(_run()), render_terminal(_run(), styled=False, width=300)
    for text in (page, terminal):
        assert "cr-0123456789abcdef0" in text
        assert "15 February 2026, 11:00 UTC" in text
        assert "15 February 2026, 11:30 UTC" in text
    assert "1 February 2026, 11:30 UTC" in page
    assert '"taken_time": "2026-02-15T11:00:00Z"' in result_json(_run())


def test_a_run_without_blocks_says_nothing_of_them() -> None:
    """No heading, no link and no line where no pool is on a block."""
    assert 'id="blocks"' not in render_html(healthy_run())
    assert "Capacity Block" not in render_terminal(healthy_run(), styled=False)


@pytest.mark.parametrize(
    ("finished_at", "phase", "urgent"),
    [
        ("2026-01-30T09:30:00Z", "begins in 2 d 2 h", False),
        ("2026-02-01T11:30:00Z", "nodes are there for 13 d 23 h more", False),
        ("2026-02-14T11:00:00Z", "nodes are there for 1 d more", False),
        ("2026-02-14T11:01:00Z", "nodes are there for 23 h 59 min more", True),
        ("2026-02-15T10:49:00Z", "nodes are there for 11 min more", True),
        ("2026-02-15T10:50:00Z", "about to end: EC2 takes the nodes within minutes", True),
        ("2026-02-15T11:00:00Z", "EC2 is taking the nodes", True),
        ("2026-02-15T11:30:00Z", "has ended", True),
        ("yesterday", "its times cannot be read", True),
    ],
)
def test_the_phase_is_that_of_the_run(finished_at: str, phase: str, urgent: bool) -> None:
    """Where the run stands between the four moments is told by the run's own time, never by a clock."""
    (view,) = block_views(_run(finished_at))
    assert (view.phase, view.urgent) == (phase, urgent)
