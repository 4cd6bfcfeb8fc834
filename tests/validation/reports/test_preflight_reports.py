"""Reports of a preflight, and of subjects that are no nodes: links and pools."""

from __future__ import annotations

import io
import re

from bedplate.diagnosis.verdict import CLUSTER, Outcome, Subject, Verdict
from bedplate.validation.reports.html import render_html
from bedplate.validation.reports.terminal import render_terminal
from bedplate.validation.result import RunResult
from tests.validation.reports.sample_run import healthy_run

POOL = Subject("pool", ("h200",))


def _preflight(outcome: Outcome) -> RunResult:
    verdicts = [
        Verdict("PRE-001", CLUSTER, Outcome.PASS, "the credentials are those of the account"),
        Verdict("PRE-009", POOL, outcome, "192 of 1536 vCPUs are free", remedy="Ask for a higher quota."),
    ]
    update = {
        "kind": "preflight",
        "nodes": [],
        "bandwidths": [],
        "required_checks": ["PRE-001", "PRE-009"],
        "verdicts": verdicts,
    }
    return healthy_run().model_copy(update=update)


def test_a_preflight_says_whether_to_deploy() -> None:
    """The page of a preflight speaks of deploying, not of handing over."""
    assert "Ready to deploy</h1>" in render_html(_preflight(Outcome.PASS))
    assert "Do not deploy yet</h1>" in render_html(_preflight(Outcome.FAIL))
    assert "Not proven</h1>" in render_html(_preflight(Outcome.ERROR))


def test_a_pool_is_a_row_of_its_own_with_its_name() -> None:
    """What is said about a pool stands in the map and on a card, titled by what was seen."""
    html = render_html(_preflight(Outcome.FAIL))
    assert re.search(r'<a href="#all-pool-h200">Pool h200</a>', html)
    assert re.search(r'<td class="s-fail" title="PRE-009 [^"]*"><a href="#fault-1">', html)
    assert "192 of 1536 vCPUs are free</h3>" in html
    assert "not among the run" not in html


def test_the_terminal_lists_what_a_preflight_asked() -> None:
    """Without nodes the map has a row for the environment and one for each pool."""
    text = render_terminal(_preflight(Outcome.FAIL), stream=io.StringIO())
    assert text.startswith("NOT PASSED  1 check failed.")
    assert "1. 192 of 1536 vCPUs are free  pool h200" in text
    assert re.search(r"^the environment\s+✓$", text, flags=re.MULTILINE)
    assert re.search(r"^pool h200\s+✕$", text, flags=re.MULTILINE)


def test_a_slow_link_is_a_row_that_names_both_ends() -> None:
    """A fault of a link stands in the map and in the first lines with both of its nodes."""
    run = healthy_run()
    ends = (run.nodes[1].node, run.nodes[2].node)
    link = Verdict("FAB-002", Subject("link", ends), Outcome.FAIL, "slow with each other", cause="link-slow")
    run = run.model_copy(update={"verdicts": [*run.verdicts, link]})
    html = render_html(run)
    assert f'<a href="#all-link-{ends[0]}-{ends[1]}">h200-2 ↔ h200-3</a>' in html
    assert "<b>h200-2 ↔ h200-3</b>" in html
    assert "h200-2 (" in render_terminal(run, stream=io.StringIO())
