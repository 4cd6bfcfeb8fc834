"""``docs/bench-alerts.md``: written from a run of the live chain, never by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bedplate.telemetry.alerts.catalogue import alerts
from tests.bench.faults.tally import text_table
from tests.telemetry.live.cases import MORE_THAN_OWED, NOT_LIVE, PAGES_TWICE
from tests.telemetry.live.run import PEOPLE, Outcome, Row

_INTRO = """\
# Which alert tells of which fault

SIMULATED fleets. Written by `make bench-alerts`; do not edit. The exporters of the sandbox's simulated nodes
are scraped by Debian's Prometheus, which evaluates Bedplate's rules and tells Debian's Alertmanager, with the
routes, the grouping and the inhibition that Amazon Managed Prometheus gets. Every kind of fault of the
sandbox is injected at once, each on nodes of its own, and beside them whatever else raises an alert. What
people are told is rendered by Alertmanager from the templates for SNS; in this run a server on the same
machine takes it in the place of a topic.

- *Holds* is the rule's own `for:`. *Unit test* is how many minutes after the fault promtool's unit tests see
  the alert fire, with real times.
- *Live* is how many seconds after the injection it fired here, with times scaled down (below). It says that
  the rule fires, and nothing about when.
- *Told* is who got the first message: `people` at once, `tickets` for the morning; `-` where another alert
  hid it, of the same node or job, or of a node of the cluster that is gone.
"""
_HEAD = ("put upon a node", "alert", "severity", "holds min", "unit test min", "live s", "told", "beside it")
_ALERTS = {each.name: each for each in alerts()}


def write_page(
    path: Path, outcome: Outcome, *, by_promtool: Mapping[str, int], machine: Mapping[str, str]
) -> None:
    """Write the page. ``by_promtool`` are minutes by alert."""
    scale = outcome.scale
    faults = [each for each in outcome.rows if each.case.is_fault]
    others = [each for each in outcome.rows if not each.case.is_fault]
    parts = [
        _INTRO,
        (
            f"Scale: ranges ÷ {scale.ranges:g}, holding times ÷ {scale.holds:g}, waits of the routes ÷ "
            f"{scale.waits:g}; a scrape every {outcome.scrape_s} s."
        ),
        "",
        "## Faults of the sandbox",
        "",
        text_table(_HEAD, [_row(each, by_promtool) for each in faults]),
        "",
        "## What else raises an alert",
        "",
        text_table(_HEAD, [_row(each, by_promtool) for each in others]),
        "",
        *(f"- `{name}` is not raised live: {why}." for name, why in NOT_LIVE.items()),
        "",
        *_amiss(),
        "## What was shown",
        "",
        *_shown(outcome),
        "",
        "## What people read",
        "",
        "The first message of each alert that was told, as it was sent.",
        "",
        *_texts(outcome),
        f"Machine: {'; '.join(f'{name} {value}' for name, value in machine.items())}.",
        "",
    ]
    path.write_text("\n".join(parts), encoding="utf-8")


def _row(each: Row, by_promtool: Mapping[str, int]) -> tuple[str, ...]:
    alert = _ALERTS[each.case.alert]
    tested = by_promtool.get(alert.name)
    return (
        each.case.name,
        alert.name,
        alert.severity,
        str(alert.hold_for_minutes),
        "-" if tested is None else str(tested),
        "NOT FIRED" if each.fired_s is None else f"{each.fired_s:.0f}",
        each.told.receiver if each.told else "-",
        ", ".join(each.beside) or "-",
    )


def _amiss() -> list[str]:
    more = [f"- `{name}` raises {alert} too: {why}." for name, (alert, why) in MORE_THAN_OWED.items()]
    twice = [f"- `{name}` is two pages: {why}." for name, why in PAGES_TWICE.items()]
    known = [*more, *twice]
    return ["What is known to be amiss, and is counted as such:", "", *known, ""] if known else []


def _shown(outcome: Outcome) -> list[str]:
    silent = [each.case.name for each in outcome.rows if each.fired_s is None]
    pages = [each for each in outcome.pages_by_node if each[2] != 1]
    return [
        f"- Healthy at first: {len(outcome.early)} alerts pending or firing, {outcome.down} targets down.",
        (
            f"- {len(outcome.rows) - len(silent)} of {len(outcome.rows)} raised their alert"
            f"{': not ' + ', '.join(silent) if silent else ''}."
        ),
        f"- Nodes with a gap in their scrapes, not counted below: {'; '.join(outcome.gaps) or 'none'}.",
        f"- Alerts that no fault explains: {'; '.join(outcome.stray) or 'none'}.",
        (
            f"- {len(outcome.pages_by_node)} nodes paged somebody; more than once: "
            f"{', '.join(f'{cluster} {node} ({count})' for cluster, node, count in pages) or 'none'}."
        ),
        (
            f"- {outcome.queries} queries of all dashboards; without series: "
            f"{'; '.join(outcome.empty_panels) or 'none'}."
        ),
    ]


def _texts(outcome: Outcome) -> list[str]:
    lines: list[str] = []
    seen: set[str] = set()
    for each in outcome.rows:
        name = each.case.alert
        if each.told is None or name in seen:
            continue
        seen.add(name)
        block = each.told.text.split("\n\n", 1)[0].rstrip()
        urgency = "page" if each.told.receiver == PEOPLE else "ticket"
        lines += [f"### {name}: {each.case.name} ({urgency})", "", "```text", each.told.subject, "", block]
        lines += ["```", ""]
    return lines
