"""The page's text: verdict first, everything escaped, nothing loaded, the same bytes for the same run."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from bedplate.diagnosis.verdict import Finding, Outcome, Severity
from bedplate.validation.reports.html import render_html
from bedplate.validation.result import RunResult, Waiver
from tests.validation.reports.sample_run import faulty_run, healthy_run, node_id

EVIL = "<script>alert(1)</script><img src=https://evil.test/x onerror=alert(1)>\"'&{{7*7}}"


class _Page(HTMLParser):
    """Tags with their attributes, ids, and the text between tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def _without_style(html: str) -> str:
    return re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)


def test_the_verdict_comes_before_everything_else() -> None:
    """The heading is the verdict in words, and the faults follow it with proof and remedy."""
    html = _without_style(render_html(faulty_run()))
    order = [
        html.index(part) for part in ("Do not hand over</h1>", "3 faults named", 'id="fault-1"', 'id="map"')
    ]
    assert order == sorted(order)
    page = _Page(html)
    for part in ("15 of 16 EFA devices", "fi_info -p efa: 15 domains", "Drain the node and reboot it."):
        assert part in page.text
    assert "Ready to hand over</h1>" in render_html(healthy_run())


def test_a_run_that_proves_nothing_does_not_look_like_a_pass() -> None:
    """No fault and no proof is a verdict of its own: not proven, with the reason."""
    html = render_html(healthy_run().model_copy(update={"complete": False}))
    assert "Not proven</h1>" in html
    assert "cut off before its end" in html
    assert 'class="verdict pass"' not in html


def test_simulated_is_in_the_title_and_on_the_page_only_where_it_is() -> None:
    """A simulated run says so in its title and in a banner; a real run does neither."""
    simulated, real = render_html(faulty_run(simulated=True)), render_html(faulty_run(simulated=False))
    assert "<title>SIMULATED · Do not hand over" in simulated
    assert "<strong>SIMULATED</strong>" in simulated
    assert "SIMULATED" not in real


def test_the_page_can_load_nothing_and_run_nothing() -> None:
    """There is no script, no address of another place, and a policy that forbids both."""
    page = _Page(render_html(faulty_run()))
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "form", "audio", "video"}
    addresses = [value for _, attrs in page.tags for name, value in attrs.items() if name in {"src", "href"}]
    assert all(value and value.startswith(("#", "data:")) for value in addresses)
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    policy = [a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def _hostile() -> RunResult:
    run = faulty_run()
    verdicts = [
        replace(
            v,
            summary=EVIL,
            excerpt=EVIL,
            source=EVIL,
            remedy=EVIL,
            unit=EVIL,
            evidence=(EVIL,),
            findings=(Finding(Severity.CRITICAL, EVIL, EVIL),),
            cause=EVIL if v.outcome is Outcome.FAIL else None,
        )
        for v in run.verdicts
    ]
    nodes = [
        n.model_copy(update={"hostname": EVIL, "pool": EVIL, "versions": {EVIL: EVIL}}) for n in run.nodes
    ]
    bandwidths = [b.model_copy(update={"collective": EVIL, "source": EVIL}) for b in run.bandwidths]
    return run.model_copy(
        update={
            "environment": EVIL,
            "region": EVIL,
            "account": EVIL,
            "started_at": EVIL,
            "verdicts": verdicts,
            "nodes": nodes,
            "bandwidths": bandwidths,
            "rounds": [r.model_copy(update={"purpose": EVIL}) for r in run.rounds],
            "waivers": [Waiver(check_id="DCG-002", reason=EVIL)],
            "versions": {EVIL: EVIL},
            "actions": [
                action.model_copy(
                    update=dict.fromkeys(("hostname", "pool", "cause", "why", "outcome", "reason"), EVIL)
                )
                for action in run.actions
            ],
            "action_plan": EVIL,
            "left_alone": [left.model_copy(update={"why": EVIL, "cause": EVIL}) for left in run.left_alone],
            "evidence_location": EVIL,
        }
    )


def test_whatever_a_node_says_stays_text() -> None:
    """HTML in hostnames, logs, versions, causes or reasons is shown as text and adds no element."""
    html = render_html(_hostile())
    page = _Page(html)
    assert not {tag for tag, _ in page.tags} & {"script", "img"}
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert "{{7*7}}" in page.text


def test_every_inner_link_has_its_target_and_ids_are_unique() -> None:
    """Each mark and heading that leads somewhere leads to an id that is on the page, and only once."""
    run = faulty_run()
    page = _Page(render_html(run.model_copy(update={"verdicts": run.verdicts[1:]})))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    links = {(attrs["href"] or "")[1:] for tag, attrs in page.tags if tag == "a"}
    assert len(ids) == len(set(ids))
    assert links <= set(ids)
    assert "open-1" in links


@pytest.mark.parametrize("nodes", [1, 8, 64])
def test_the_map_has_a_mark_for_every_verdict(nodes: int) -> None:
    """Each verdict is one mark of the map, with its outcome in words for those who cannot see it."""
    run = healthy_run(nodes=nodes)
    html = render_html(run)
    assert len(re.findall(r'<td class="s-[a-z-]+"', html)) == len(run.verdicts)
    assert html.count('<span class="sr">passed: As expected</span>') == len(run.verdicts)


def test_marks_that_are_amiss_lead_to_their_reason() -> None:
    """The mark of the lost device is a link to its card."""
    html = render_html(faulty_run())
    assert re.search(r'<td class="s-fail" title="EFA-001 [^"]*"><a href="#fault-1">', html)
    assert re.search(r'<td class="s-error" title="DCG-001 [^"]*"><a href="#open-1">', html)
    assert re.search(r'<td class="s-waived" title="DCG-002 waived [^"]*"><a href="#waivers">', html)


def test_skew_waivers_rounds_and_actions_are_on_the_page() -> None:
    """The driver that differs, the waiver's reason, the rounds of the search and what was done are told."""
    text = " ".join(_Page(_without_style(render_html(faulty_run()))).text.split())
    for part in (
        "NVIDIA driver skew 580.126.09 7 nodes 580.95.05 1 node: h200-5",
        "Level 2 runs in the weekly window; OPS-4821. The check itself: 1 not tested, 7 passed.",
        "Round 2 The same nodes with other partners · 1 of 4 groups failed",
        f"Drain h200-2 ({node_id(1)}), pool h200 done",
        "Drained in Slurm as h200-2.",
        "To take drains back: bedplate undo -e demo act-20260203T092147Z-0a1b2c3d",
        "Whole cluster: NCL-003 failed not-a-node",
    ):
        assert part in text


def test_the_same_run_gives_the_same_bytes() -> None:
    """The page holds no clock and no chance."""
    assert render_html(faulty_run()) == render_html(faulty_run())


def test_a_silent_node_is_one_entry_not_one_for_each_check() -> None:
    """Checks that say the same about the same nodes stand in one card, and each mark leads to it."""
    run = healthy_run(nodes=3)
    silent = [n.node for n in run.nodes[:2]]
    verdicts = [
        replace(v, outcome=Outcome.ERROR, summary="No answer")
        if v.subject.names[:1] in [(n,) for n in silent]
        else v
        for v in run.verdicts
    ]
    html = render_html(run.model_copy(update={"verdicts": verdicts}))
    assert html.count('<article class="open') == 1
    assert html.count('<a href="#open-1">') == 22


def test_a_node_that_told_no_version_is_not_skew() -> None:
    """A node that did not answer is listed as such; skew is two versions that were told."""
    run = healthy_run()
    nodes = [run.nodes[0].model_copy(update={"versions": {}}), *run.nodes[1:]]
    text = " ".join(_Page(_without_style(render_html(run.model_copy(update={"nodes": nodes})))).text.split())
    assert "All nodes of a type have the same versions." in text
    assert "did not say 1 node: h200-1" in text


def test_notes_are_told_and_a_test_that_said_nothing_is_no_failure() -> None:
    """What a reader must know stands on the page; a silent group has a mark of its own."""
    run = healthy_run()
    silent = faulty_run().rounds[0].model_copy(update={"failed": [], "unheard": [1]})
    page = _Page(render_html(run.model_copy(update={"notes": ["NCL-003 is waived."], "rounds": [silent]})))
    assert "NCL-003 is waived." in page.text
    assert page.text.count("said nothing:") == 1
    assert "failed:" not in page.text
