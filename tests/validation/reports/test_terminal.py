"""The terminal's table: verdict first, proof and remedy with each fault, plain without colours."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from bedplate.diagnosis.verdict import Finding, Outcome, Severity
from bedplate.validation.reports.terminal import print_result, render_terminal
from tests.validation.reports.sample_run import faulty_run, healthy_run


def test_the_verdict_comes_first_after_the_word_simulated() -> None:
    """A simulated run says so in its first words, then comes the verdict in one line."""
    lines = render_terminal(faulty_run(), stream=io.StringIO(), width=160).splitlines()
    assert lines[0].startswith("SIMULATED")
    assert lines[1] == "NOT PASSED  3 faults named on 3 of 8 nodes; 1 more check failed."
    assert render_terminal(healthy_run(), stream=io.StringIO()).startswith("PASSED  All 14 required checks")


def test_each_fault_shows_its_node_measure_proof_and_remedy() -> None:
    """A fault names node and instance, what was measured and expected, the deciding lines and what to do."""
    text = render_terminal(faulty_run(), stream=io.StringIO(), width=160)
    start = text.index("1. An EFA device is missing")
    fault = text[start : text.index("2. XID 64")]
    for part in (
        "h200-2 (i-",
        "measured 15, expected 16 devices",
        "│ fi_info -p efa: 15 domains",
        "evidence: nodes/i-",
        "Do: Drain the node",
    ):
        assert part in fault


def test_what_could_not_be_proven_and_what_is_waived_is_said() -> None:
    """Errors, untested checks, waivers with reasons and findings are all in the text."""
    text = render_terminal(faulty_run(), stream=io.StringIO(), width=200)
    assert "no usable answer: DCG-001\n     Dcgmi diag ended before its JSON was whole" in text
    assert "not tested: NCL-001\n     Not started" in text
    assert "waived: DCG-002 (Level 2 runs in the weekly window; OPS-4821.)" in text
    assert "warning: h200-1" in text


def test_a_missing_verdict_has_a_mark_of_its_own() -> None:
    """A gap in the map is not a blank."""
    run = healthy_run(nodes=1)
    text = render_terminal(run.model_copy(update={"verdicts": run.verdicts[1:]}), stream=io.StringIO())
    row = next(line for line in text.splitlines() if line.startswith("h200-1"))
    assert row.split()[2] == "∅"


def test_a_pipe_gets_plain_lines() -> None:
    """Without a terminal there are no escape codes and no line has blanks at its end."""
    stream = io.StringIO()
    print_result(faulty_run(), stream=stream)
    text = stream.getvalue()
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 100


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_color_is_honoured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal there are colours, and with NO_COLOR none."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;31m" in render_terminal(faulty_run(), stream=_Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in render_terminal(faulty_run(), stream=_Terminal())


def test_a_large_cluster_lists_only_what_is_amiss() -> None:
    """With 64 nodes the map shows those with something amiss and counts the others."""
    text = render_terminal(faulty_run(nodes=64), stream=io.StringIO())
    assert "60 nodes with nothing amiss are not listed" in text
    assert sum(line.startswith("h200-") for line in text.splitlines()) == 4


def test_markup_in_what_nodes_say_is_not_obeyed() -> None:
    """Square brackets from a node are printed as they are, never taken for styles."""
    run = healthy_run(nodes=1)
    node = run.nodes[0].model_copy(update={"hostname": "[red]x[/red]"})
    assert "[red]x[/red]" in render_terminal(run.model_copy(update={"nodes": [node]}), stream=io.StringIO())


def test_control_characters_from_a_node_do_not_reach_the_terminal() -> None:
    """An escape sequence in a log is shown as replacement marks and cannot rewrite what was printed."""
    run = healthy_run(nodes=1)
    evil = replace(run.verdicts[0], outcome=Outcome.FAIL, summary="\x1b[2J\x9bgone\u202e", excerpt="a\rb\x07")
    text = render_terminal(run.model_copy(update={"verdicts": [evil]}), stream=io.StringIO())
    assert not set(text) & {"\x1b", "\x9b", "\r", "\x07", "\u202e"}
    assert "\ufffd[2J\ufffdgone" in text


def test_the_place_of_the_evidence_stays_whole() -> None:
    """A long location is one line, in a narrow place too, so that it can be copied."""
    place = f"s3://{'bucket-' * 20}/runs/20261129T195542Z/evidence/"
    run = faulty_run().model_copy(update={"evidence_location": place})
    assert f"evidence: {place}" in render_terminal(run, stream=io.StringIO(), width=60).splitlines()


def test_notes_are_told() -> None:
    """What a reader must know to read the run right is in the terminal too."""
    assert "note: NCL-003 is waived." in render_terminal(
        healthy_run().model_copy(update={"notes": ["NCL-003 is waived."]}), styled=False, width=100
    )


def test_actions_are_told_with_the_way_back() -> None:
    """What was done, how to undo it, and what was left alone by which rule."""
    text = render_terminal(faulty_run(), styled=False)
    assert "Drain h200-2" in text
    assert "pool h200: done" in text
    assert "bedplate undo -e demo act-20260203T092147Z-0a1b2c3d" in text
    assert "NCL-003 failed: not-a-node" in text


@pytest.mark.parametrize("width", [40, 80, 100])
def test_every_check_of_the_map_can_be_read_however_narrow(width) -> None:
    """The map is as many tables as it takes: each check's id is whole, and each failure is in its column."""
    run = faulty_run()
    lines = render_terminal(run, stream=io.StringIO(), width=width).splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("node ")]
    checks = [
        f"{family}-{number}"
        for head in heads
        for family, number in zip(lines[head - 1].split(), lines[head].split()[1:], strict=True)
    ]
    assert sorted(checks) == sorted({*run.required_checks, *(v.check_id for v in run.verdicts)})
    assert all(len(line) <= width for line in lines[heads[0] - 1 : heads[-1] + 8])
    part = next(head for head in heads if "EFA" in lines[head - 1])
    place = lines[part - 1].index("EFA")
    assert [line[place + 1] for line in lines[part + 1 : part + 4]] == ["✓", "✕", "✓"]


def test_a_finding_that_many_nodes_share_is_told_once() -> None:
    """It names four of them and counts the rest."""
    run = healthy_run(nodes=8)
    shared = Finding(Severity.INFO, "Two tests were waived")
    verdicts = [replace(v, findings=(shared,)) if v.check_id == "GPU-001" else v for v in run.verdicts]
    text = render_terminal(run.model_copy(update={"verdicts": verdicts}), stream=io.StringIO(), width=400)
    told = [line for line in text.splitlines() if "Two tests were waived" in line]
    assert len(told) == 1
    assert told[0].endswith(" and 4 more: Two tests were waived.")
